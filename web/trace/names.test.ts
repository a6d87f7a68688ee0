import { describe, expect, it, vi } from 'vitest';
import { nextTask } from '../base/next_task.fixture.ts';
import { byTurns, countedByTurns } from '../base/portions.fixture.ts';
import { PORTION } from '../base/portions.ts';
import { idsOf } from './ids_of_texts.ts';
import { COLOURS, createColouring, createNames, functionOf, hasNumbersOnly, numberOf } from './names.ts';

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

/** The hues of colours, 0 to 7. */
const huesOf = (colours: Iterable<number>) => [...colours].map((colour) => colour >> 1);

describe('the colour of a name', () => {
  it('has one hue for names that differ in a number, lighter for odd ones', () => {
    const colouring = createColouring();
    const frames = [0, 1, 2, 11, 4500].map((i) => colouring.next(`frame ${i}`));
    const dark = frames[0]!;
    expect(frames).toEqual([dark, dark + 1, dark, dark + 1, dark]);
    expect(dark % 2).toBe(0);
  });
  it('is within the palette', () => {
    const colouring = createColouring();
    for (const name of ['', '7', ' 7', 'f', 'glUniform4f', 'frame 99999999999999999999']) {
      const colour = colouring.next(name);
      expect(colour).toBeGreaterThanOrEqual(0);
      expect(colour).toBeLessThan(COLOURS);
    }
  });
  it('has another hue than the four names next to it, and one that is not the next of the circle', () => {
    const colouring = createColouring();
    const hues = huesOf(Array.from({ length: 500 }, (_, i) => colouring.next(`l${i}`)));
    for (let i = 1; i < hues.length; i += 1) {
      expect(hues.slice(Math.max(0, i - 4), i)).not.toContain(hues[i]);
      expect([1, 7]).not.toContain((hues[i]! - hues[i - 1]! + 8) % 8);
    }
    expect(new Set(hues).size).toBe(8);
  });
  it('is the same in whatever batches the names come', () => {
    const texts = Array.from({ length: 300 }, (_, i) => `function${i * 7}`);
    const whole = createNames();
    whole.add(0, texts, null);
    const parts = createNames();
    for (let i = 0; i < texts.length; i += 11) parts.add(i, texts.slice(i, i + 11), null);
    expect(parts.colour.slice(0, 300)).toEqual(whole.colour.slice(0, 300));
  });
  it('stays when a companion names the function, and is the same if that was there before', () => {
    const names = createNames();
    names.add(0, ['#1', '#2', '#3'], null);
    const before = [...names.colour.slice(0, 3)];
    names.rename(new Uint32Array([1, 2]), ['main', 'exit'], ['#2', '#3']);
    names.rewrite((text) => text.toUpperCase());
    expect([...names.colour.slice(0, 3)]).toEqual(before);
    const named = createNames();
    named.add(0, ['#1', 'main', 'exit'], ['', '#2', '#3']);
    expect([...named.colour.slice(0, 3)]).toEqual(before);
  });
});

describe('names that are rewritten', () => {
  const length = 3 * PORTION;
  const many = () => {
    const names = createNames();
    const texts = Array.from({ length }, (_, i) => `f${i}`);
    names.add(0, texts, null);
    return names;
  };
  it('are gone through a portion in a turn', async () => {
    const { count, most } = countedByTurns();
    const names = many();
    names.rewrite((text) => {
      count();
      return `${text}x`;
    });
    await vi.waitFor(() => expect(names.of(length - 1)).toBe(`f${length - 1}x`));
    expect(most()).toBe(PORTION);
  });
  it('show what was wished last, also if they change meanwhile', async () => {
    const names = many();
    const version = names.version.peek();
    names.rewrite((text) => `${text}x`);
    await nextTask();
    names.rewrite((text) => `${text}y`);
    names.rename(Uint32Array.of(0, length - 1), ['g', 'h'], null, true);
    names.add(length, ['later'], null);
    await vi.waitFor(() => expect(names.version.peek()).toBe(version + 1));
    const ids = [0, 1, PORTION, length - 1, length];
    expect(ids.map(names.of)).toEqual(['gy', 'f1y', `f${PORTION}y`, 'hy', 'latery']);
    await nextTask();
    await nextTask();
    expect(names.version.peek()).toBe(version + 1);
  });
});

describe('short names', () => {
  it('are shown, and leave the names themselves', () => {
    const names = createNames();
    names.add(0, ['main', 'ui::draw(int)', 'gl::clear()'], ['', '#2', '#3']);
    expect([names.shown(1), names.isShort.peek()]).toEqual(['ui::draw(int)', false]);
    const version = names.version.peek();
    names.shorten(new Uint32Array([1, 2]), ['draw', 'clear']);
    expect(names.version.peek()).toBeGreaterThan(version);
    expect(names.isShort.peek()).toBe(true);
    expect([0, 1, 2, 9].map(names.shown)).toEqual(['main', 'draw', 'clear', '']);
    expect([names.of(1), names.text[1]]).toEqual(['ui::draw(int)', 'ui::draw(int)']);
    expect(['#2', '#9'].map(names.inPlaceOf)).toEqual(['ui::draw(int)', '#9']);
    expect(['#2', '#9'].map(names.shownInPlaceOf)).toEqual(['draw', '#9']);
    names.shorten(new Uint32Array([2]), ['clear']);
    expect([1, 2].map(names.shown)).toEqual(['ui::draw(int)', 'clear']);
    names.shorten(new Uint32Array(), []);
    expect([names.shown(2), names.isShort.peek()]).toEqual(['gl::clear()', false]);
  });
  it('and other texts that come in portions change once all are there', () => {
    const names = createNames();
    names.add(0, ['ui::draw(int)', 'gl::clear()'], ['#1', '#2']);
    const version = names.version.peek();
    names.shorten(Uint32Array.of(0), ['draw'], true);
    names.rename(Uint32Array.of(1), ['gl::wait()'], ['#2'], true);
    expect([names.shown(0), names.version.peek()]).toEqual(['ui::draw(int)', version]);
    names.shorten(Uint32Array.of(1), ['wait']);
    expect([0, 1].map(names.shown)).toEqual(['draw', 'wait']);
    expect(names.version.peek()).toBe(version + 1);
  });
  it('are not those of a text that the name had before', () => {
    const names = createNames();
    names.add(0, ['ui::draw(int)'], ['#2']);
    names.shorten(new Uint32Array([0]), ['draw']);
    names.rename(new Uint32Array([0]), ['#2'], null);
    expect(names.shown(0)).toBe('#2');
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

describe('ids of texts', () => {
  it('are those of the first name with the text, or apart', () => {
    const names = createNames();
    names.add(0, ['f', 'g', 'f'], null);
    const { result } = byTurns(idsOf(names, ['f', 'x', 'g', 'x']), () => 0);
    expect([...result]).toEqual([0, 3, 1, 3]);
    expect(names.of(3)).toBe('x');
  });
  it('are looked for in portions', () => {
    let reads = 0;
    const all = Array.from({ length: 3 * PORTION }, (_, i) => `f${i}`);
    const text = new Proxy(all, {
      get: (of, key) => {
        if (key !== 'length') reads += 1;
        return Reflect.get(of, key) as unknown;
      },
    });
    const { result, most } = byTurns(idsOf({ text, apart: () => 0 }, [`f${PORTION}`]), () => reads);
    expect([...result]).toEqual([PORTION]);
    expect(most).toBe(PORTION);
  });
});
