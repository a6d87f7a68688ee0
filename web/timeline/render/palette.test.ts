import { describe, expect, it } from 'vitest';
import { contrast, difference, fromHex, fromOklch, mix, type Rgb, toCss } from './colour.ts';
import { inkOn, PALETTES, THEMES } from './palette.ts';

const AA = 4.5;
/** One and a half times the just noticeable difference in OKLab. */
const TOLD_APART = 0.03;

/** The colour vision of dichromats, in linear sRGB (Machado, Oliveira and Fernandes 2009, severity 1). */
const VISION: Readonly<Record<string, readonly (readonly [number, number, number])[]>> = {
  'full colour': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function seen(colour: Rgb, vision: string): Rgb {
  return VISION[vision]!.map((row) =>
    Math.min(1, Math.max(0, row[0] * colour[0] + row[1] * colour[1] + row[2] * colour[2])),
  ) as unknown as Rgb;
}

describe.each(['dark', 'light'] as const)('the %s theme', (name) => {
  const theme = THEMES[name];
  it('has legible labels on every slice, lifted or not', () => {
    for (const ground of [...theme.slices, ...theme.lifted]) {
      expect(contrast(ground, inkOn(ground, theme.inks))).toBeGreaterThanOrEqual(AA);
    }
  });
  it('has displayable colours', () => {
    for (const part of theme.slices.flat()) {
      expect(part).toBeGreaterThanOrEqual(0);
      expect(part).toBeLessThanOrEqual(1);
    }
  });
  it.each(Object.keys(VISION))('keeps neighbouring colours distinct with %s', (vision) => {
    const apart = (a: number, b: number) => difference(seen(theme.slices[a]!, vision), seen(theme.slices[b]!, vision));
    for (let i = 0; i < 16; i += 1) {
      // The next hue at the same lightness, and the other lightness of the same hue.
      expect(apart(i, (i + 2) % 16), `colour ${i} and the next hue`).toBeGreaterThan(TOLD_APART);
      expect(apart(i, i ^ 1), `both of hue ${i >> 1}`).toBeGreaterThan(TOLD_APART);
    }
  });
  it('has legible text on its surfaces', () => {
    const { panel, text, muted, accent, warning } = PALETTES[name];
    for (const ink of [text, muted, accent, warning]) {
      expect(contrast(fromHex(panel), fromHex(ink)), ink).toBeGreaterThanOrEqual(AA);
      expect(contrast(theme.background, fromHex(ink)), ink).toBeGreaterThanOrEqual(AA);
    }
  });
  it('has marks that can be told from their surfaces', () => {
    for (const mark of PALETTES[name].abouts)
      expect(contrast(theme.background, fromHex(mark)), mark).toBeGreaterThanOrEqual(AA);
  });
  it('fades towards the background with less density', () => {
    const palette = PALETTES[name];
    expect(new Set(palette.slices).size).toBe(palette.slices.length);
    expect(palette.slices[7]).toBe(toCss(theme.slices[0]!));
  });
});

describe('colours', () => {
  it('survive a round trip through OKLCH and CSS', () => {
    expect(toCss(fromHex('#62a8ff'))).toBe('rgb(98 168 255)');
    expect(toCss(fromOklch(1, 0, 0))).toBe('rgb(255 255 255)');
    expect(toCss(mix(fromHex('#000000'), fromHex('#ffffff'), 1))).toBe('rgb(255 255 255)');
  });
  it('have the contrast of WCAG', () => {
    expect(contrast(fromHex('#000000'), fromHex('#ffffff'))).toBeCloseTo(21, 5);
    expect(contrast(fromHex('#777777'), fromHex('#ffffff'))).toBeCloseTo(4.48, 2);
  });
});
