import { describe, expect, it } from 'vitest';
import { byTurns } from '../base/portions.fixture.ts';
import { PORTION, resultOf } from '../base/portions.ts';
import { createNames } from './names.ts';
import { parseFilter, transformsOf } from './path_changes.ts';
import { changeTitle, withChange } from './transforms.ts';

const names = createNames();
names.add(0, ['main', 'readFile', 'READ', 'write'], ['#1', '', '', '']);

describe('a filter of call paths', () => {
  it('is a part of a name, in upper or lower case', () => {
    expect(['readFile', 'READ', 'main'].map((name) => parseFilter(' read ').matches?.(name))).toEqual([
      true,
      true,
      false,
    ]);
  });
  it('is a regular expression between slashes', () => {
    expect(['readFile', 'READ'].map((name) => parseFilter('/^read/').matches?.(name))).toEqual([true, false]);
    expect(['readFile', 'READ', 'unread'].map((name) => parseFilter('/^read/i').matches?.(name))).toEqual([
      true,
      true,
      false,
    ]);
    // A path is not a regular expression.
    expect(parseFilter('/usr/bin').matches?.('/usr/bin/x')).toBe(true);
  });
  it('says what is wrong with a regular expression', () => {
    const { matches, error } = parseFilter('/(/');
    expect(matches).toBeNull();
    expect(error).toMatch(/^Invalid regular expression \/\(\/: /);
  });
});

describe('changes of call paths', () => {
  it('cross as kinds and names, in their order', async () => {
    const {
      kinds,
      ends,
      names: ids,
    } = await resultOf(
      transformsOf(
        [
          { kind: 'collapse' },
          { kind: 'focus', name: 3 },
          { kind: 'only', text: 'read' },
          { kind: 'hide', name: 0 },
          { kind: 'only', text: '#1' },
        ],
        names,
      ),
    );
    expect([...kinds]).toEqual([0, 1, 3, 2, 3]);
    expect([...ends]).toEqual([0, 1, 3, 4, 5]);
    expect([...ids]).toEqual([3, 1, 2, 0, 0]);
  });
  it('are tried on a portion of the names in a turn', () => {
    let tries = 0;
    const of = (id: number) => {
      tries += 1;
      return `f${id}`;
    };
    const many = { of, keyOf: () => '', text: { length: 3 * PORTION } };
    const { result, most } = byTurns(transformsOf([{ kind: 'only', text: `f${PORTION}` }], many), () => tries);
    expect([...result.names]).toEqual([PORTION]);
    expect(most).toBe(PORTION);
  });
  it('are not repeated', () => {
    const once = withChange([], { kind: 'hide', name: 3 });
    expect(withChange(once, { kind: 'hide', name: 3 })).toBe(once);
    expect(withChange(once, { kind: 'focus', name: 3 })).toHaveLength(2);
  });
  it('have titles', () => {
    expect(changeTitle({ kind: 'focus', name: 0 }, names)).toBe('Focus: main');
    expect(changeTitle({ kind: 'hide', name: 3 }, names)).toBe('Hidden: write');
    expect(changeTitle({ kind: 'only', text: '/a/' }, names)).toBe('Only: /a/');
  });
});
