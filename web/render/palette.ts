import { COLOURS } from '../model/names.ts';
import { contrast, fromHex, fromOklch, mix, type Rgb, toCss } from './colour.ts';

/** Number of density levels between the background and the full colour. */
export const LEVELS = 8;

/** The colours of the canvas in one theme, as CSS. */
export interface Palette {
  readonly background: string;
  readonly panel: string;
  readonly line: string;
  readonly text: string;
  readonly muted: string;
  readonly accent: string;
  readonly outline: string;
  readonly warning: string;
  /** The hits of a search. */
  readonly hit: string;
  /** Marks by kind, as in `About` of `crate/filter`: hits, executions, taint, reads, writes. The same as `--executed` and so on. */
  readonly abouts: readonly string[];
  /** The graph of a counter: the area below it, the band from lowest to highest, the line. */
  readonly graph: readonly [area: string, band: string, line: string];
  /** Colours of marks by density. */
  readonly marks: readonly string[];
  /** Colours of slices by colour × {@link LEVELS} + level; level 0 is the thinnest. */
  readonly slices: readonly string[];
  /** The same for slices with the hovered name. */
  readonly lifted: readonly string[];
  /** Colours of labels by the colour of the slice. */
  readonly label: readonly string[];
  readonly liftedLabel: readonly string[];
}

/** The colours of a theme; exported for tests of contrast and colour blindness. */
export interface Theme {
  readonly background: Rgb;
  /** The 16 slice colours, hue by hue, the darker one first. */
  readonly slices: readonly Rgb[];
  readonly lifted: readonly Rgb[];
  /** The candidates for the text colour of a label. */
  readonly inks: readonly [Rgb, Rgb];
}

const HUES = [28, 62, 95, 150, 185, 235, 290, 335] as const;
/**
 * The lightness offset of each hue. With a red-green colour blindness, hues 62 and 95 or 235 and 290 would look the
 * same at equal lightness.
 */
const STAGGER = [-0.01, 0.02, -0.025, 0, -0.025, 0.01, -0.025, 0.01] as const;

/** The two themes. */
export const THEMES: { readonly dark: Theme; readonly light: Theme } = {
  dark: theme('#0e1116', [0.545, 0.655], 0.085, '#ffffff'),
  light: theme('#fbfcfd', [0.75, 0.85], 0.075, '#1c2430'),
};

/** The canvas palettes of the two themes. */
export const PALETTES: { readonly dark: Palette; readonly light: Palette } = {
  dark: palette(THEMES.dark, {
    panel: '#141920',
    line: '#262e39',
    text: '#d9e0e8',
    muted: '#8b97a6',
    accent: '#62a8ff',
    outline: '#ffffff',
    warning: '#e9b44c',
    hit: '#ff6ac1',
    abouts: ['#ff6ac1', '#c297ff', '#5fd38a', '#4cc2ff', '#ff9447'],
  }),
  light: palette(THEMES.light, {
    panel: '#f3f5f8',
    line: '#dde2e8',
    text: '#1c2430',
    muted: '#5a6675',
    accent: '#1866c9',
    outline: '#0b1220',
    warning: '#8c6109',
    hit: '#c4127f',
    abouts: ['#c4127f', '#7b3fd1', '#1a7f4b', '#085a9e', '#9a3b06'],
  }),
};

/** The palettes while one function stands out: its slices are lifted and the others fade. */
export const DIMMED: { readonly dark: Palette; readonly light: Palette } = {
  dark: dimmed(THEMES.dark, PALETTES.dark),
  light: dimmed(THEMES.light, PALETTES.light),
};

/** The palette of a theme in which all names but a highlighted one are dim; -1 highlights none. */
export function paletteFor(theme: keyof typeof PALETTES, highlighted: number): Palette {
  return (highlighted < 0 ? PALETTES : DIMMED)[theme];
}

/** The one of two text colours with the better contrast on `ground`. */
export function inkOn(ground: Rgb, inks: readonly [Rgb, Rgb]): Rgb {
  return contrast(ground, inks[0]) >= contrast(ground, inks[1]) ? inks[0] : inks[1];
}

function theme(background: string, lightness: readonly [number, number], chroma: number, lift: string): Theme {
  const slices = Array.from({ length: COLOURS }, (_, i) => {
    const hue = i >> 1;
    return fromOklch(lightness[i & 1]! + STAGGER[hue]!, chroma, HUES[hue]!);
  });
  const lifted = slices.map((slice) => mix(slice, fromHex(lift), 0.28));
  return { background: fromHex(background), slices, lifted, inks: [fromHex('#ffffff'), fromHex('#000000')] };
}

type Flat = Pick<Palette, 'panel' | 'line' | 'text' | 'muted' | 'accent' | 'outline' | 'warning' | 'hit' | 'abouts'>;

function dimmed(from: Theme, whole: Palette): Palette {
  const slices = from.slices.map((slice) => mix(from.background, slice, 0.22));
  return {
    ...whole,
    slices: levelsOf(from, slices),
    lifted: whole.slices,
    label: from.slices.map(() => whole.muted),
    liftedLabel: whole.label,
  };
}

function levelsOf(from: Theme, colours: readonly Rgb[]): string[] {
  return colours.flatMap((colour) =>
    Array.from({ length: LEVELS }, (_, level) =>
      // A single call in a wide gap must stay visible.
      toCss(mix(from.background, colour, 0.3 + (0.7 * level) / (LEVELS - 1))),
    ),
  );
}

function palette(from: Theme, flat: Flat): Palette {
  const labels = (colours: readonly Rgb[]) => colours.map((colour) => toCss(inkOn(colour, from.inks)));
  const accent = fromHex(flat.accent);
  return {
    ...flat,
    graph: [toCss(accent, 0.16), toCss(mix(from.background, accent, 0.5)), flat.accent],
    marks: [0.55, 0.7, 0.85, 1].map((part) => toCss(mix(from.background, accent, part))),
    background: toCss(from.background),
    slices: levelsOf(from, from.slices),
    lifted: levelsOf(from, from.lifted),
    label: labels(from.slices),
    liftedLabel: labels(from.lifted),
  };
}
