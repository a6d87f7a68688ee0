import { describe, expect, it } from 'vitest';
import { textsOf, visible } from './texts.ts';

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
    expect(visible('e\u{301}❤\u{fe0f}')).toBe('e\u{301}❤\u{fe0f}');
  });
});
