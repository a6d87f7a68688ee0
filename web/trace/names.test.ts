import { describe, expect, it } from 'vitest';
import { COLOURS, colourOf, createNames, functionOf, hasNumbersOnly, numberOf } from './names.ts';

it('the number at the end of a name may have parts', () => {
  expect(['frame 12', 'statement 1:12', 'typed event 9', 'a:1', '12', 'x 1:'].map(numberOf)).toEqual([
    '12',
    '1:12',
    '9',
    '',
    '',
    '',
  ]);
});

describe('the colour of a name', () => {
  it('has one hue for names that differ in a number, lighter for odd ones', () => {
    const frames = [0, 1, 2, 11, 4500].map((i) => colourOf(`frame ${i}`));
    const dark = frames[0]!;
    expect(frames).toEqual([dark, dark + 1, dark, dark + 1, dark]);
    expect(dark % 2).toBe(0);
  });
  it('is within the palette', () => {
    for (const name of ['', '7', ' 7', 'f', 'glUniform4f', 'frame 99999999999999999999']) {
      expect(colourOf(name)).toBeGreaterThanOrEqual(0);
      expect(colourOf(name)).toBeLessThan(COLOURS);
    }
  });
});

describe('functions with ids', () => {
  const names = createNames();
  names.add(0, ['#7', '0x10'], null);
  const of = (companions: readonly string[], added: readonly unknown[]) =>
    hasNumbersOnly({ info: { value: { companions } }, companions: { value: added }, names } as never);

  it('have numbers only until a companion is added', () => {
    expect(of(['names', 'binary'], [])).toBe(true);
    expect(of(['names', 'binary'], [{}])).toBe(false);
    expect(of(['names'], [])).toBe(false);
  });

  it('are known by their ids whatever they are called', () => {
    expect([functionOf(names, 0), functionOf(names, 1)]).toEqual([7, 16n]);
    names.rename(new Uint32Array([0]), ['main'], ['#7']);
    expect(functionOf(names, 0)).toBe(7);
    expect(of(['binary'], [])).toBe(false);
  });
});
