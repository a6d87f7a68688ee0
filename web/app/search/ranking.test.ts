import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ranked, recentChoices, rememberChoice } from './ranking.ts';

const ENTRIES = ['Zoom in', 'Zoom out', 'Find', 'Unfold the track', 'Fold the track', 'Go to the next track'].map(
  (title) => ({ id: title, title }),
);
const found = (query: string, recent: readonly string[] = []) => ranked(ENTRIES, query, recent).map(({ id }) => id);

describe('ranking', () => {
  it('returns all without a query, what was chosen last first', () => {
    expect(found('')).toEqual(ENTRIES.map(({ id }) => id));
    expect(found('', ['Find', 'Zoom out']).slice(0, 3)).toEqual(['Find', 'Zoom out', 'Zoom in']);
  });
  it('finds all words in any order and case', () => {
    expect(found('TRACK fold')).toEqual(['Fold the track', 'Unfold the track']);
    expect(found('zoom track')).toEqual([]);
  });
  it('puts what begins like the query first, then what has words that begin so', () => {
    expect(found('fold')).toEqual(['Fold the track', 'Unfold the track']);
    expect(found('the', ['Unfold the track'])[0]).toBe('Unfold the track');
    expect(found('fold', ['Unfold the track'])[0]).toBe('Fold the track');
  });
  it('leaves out parts of words on request', () => {
    expect(ranked(ENTRIES, 'fold', [], 5, true).map(({ id }) => id)).toEqual(['Fold the track']);
  });
  it('returns at most as many as wanted', () => {
    expect(ranked(ENTRIES, 'o', [], 2)).toHaveLength(2);
  });
});

describe('what was chosen last', () => {
  let stored: string | null = null;
  beforeEach(() => {
    stored = null;
    vi.stubGlobal('localStorage', {
      getItem: () => stored,
      setItem: (_: string, text: string) => {
        stored = text;
      },
    });
  });
  afterEach(() => void vi.unstubAllGlobals());
  it('is remembered once each, the latest first, up to a number', () => {
    for (const id of ['a', 'b', 'a']) rememberChoice(id);
    expect(recentChoices()).toEqual(['a', 'b']);
    for (let i = 0; i < 50; i += 1) rememberChoice(String(i));
    expect(recentChoices()).toHaveLength(12);
    expect(recentChoices()[0]).toBe('49');
  });
  it('is nothing if what is stored is damaged', () => {
    stored = '{';
    expect(recentChoices()).toEqual([]);
    stored = '{"a": 1}';
    expect(recentChoices()).toEqual([]);
    stored = '["a", 5]';
    expect(recentChoices()).toEqual(['a']);
  });
});
