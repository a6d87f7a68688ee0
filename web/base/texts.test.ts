import { describe, expect, it } from 'vitest';
import { joinTexts, textAt, textsOf, visible } from './texts.ts';

describe('texts as one', () => {
  it('come apart where each ends', () => {
    expect(textsOf({ all: 'aß 😀c', ends: Uint32Array.of(2, 2, 5, 6) })).toEqual(['aß', '', ' 😀', 'c']);
    expect(textsOf({ all: '', ends: new Uint32Array() })).toEqual([]);
  });

  it('have escapes for what has no shape', () => {
    const all = 'a\u{202e}b\u{200b}é 中😀\u{e0041}\n';
    expect(textsOf({ all, ends: Uint32Array.of(2, all.length) })).toEqual([
      'a\\u{202e}',
      'b\\u{200b}é 中😀\\u{e0041}\\u{a}',
    ]);
    expect(visible('e\u{301}❤\u{fe0f}')).toBe('e\u{301}❤\\u{fe0f}');
    expect(visible('\u{6dd}\u{2800}\u{13430}')).toBe('\\u{6dd}\\u{2800}\\u{13430}');
    // No font has one shape for these two.
    expect(visible('😀\u{200d}😁')).toBe('😀\\u{200d}😁');
  });
});

it('joins texts and takes them apart again', async () => {
  const texts = ['f', '', 'h\u{1f600}'];
  const joint = await joinTexts(texts.length, (i) => texts[i] ?? '');
  expect(textsOf(joint)).toEqual(texts);
  expect([-1, 0, 1, 2, 3].map((i) => textAt(joint, i))).toEqual(['', 'f', '', 'h\u{1f600}', '']);
});

it('lets the page draw while it joins very many', async () => {
  let done = 0;
  const seen: number[] = [];
  const look = () => {
    seen.push(done);
    if (done < 50_000) setTimeout(look);
  };
  setTimeout(look);
  await joinTexts(50_000, (i) => {
    done = i + 1;
    return 'f';
  });
  const steps = seen.map((at, i) => at - (seen[i - 1] ?? 0));
  expect(Math.max(...steps)).toBeLessThanOrEqual(10_000);
});
