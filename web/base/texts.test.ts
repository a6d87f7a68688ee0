import { describe, expect, it } from 'vitest';
import { textsOf } from './texts.ts';

describe('texts as one', () => {
  it('come apart where each ends', () => {
    expect(textsOf({ all: 'aß\0😀c', ends: Uint32Array.of(2, 2, 5, 6) })).toEqual(['aß', '', '\0😀', 'c']);
    expect(textsOf({ all: '', ends: new Uint32Array() })).toEqual([]);
  });
});
