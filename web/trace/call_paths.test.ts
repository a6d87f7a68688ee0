import { batch, signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { byTurns } from '../base/portions.fixture.ts';
import { inTurns, PORTION } from '../base/portions.ts';
import { applyCallPaths } from './apply_paths.ts';
import { callPathTexts, createCallPaths, readChanges, readFlame } from './call_paths.ts';
import { createNames } from './names.ts';
import type { Whose } from './statistics.ts';

const apply = (...asked: Parameters<typeof applyCallPaths>) => inTurns(applyCallPaths(...asked), () => undefined);

function namesOf(...texts: string[]) {
  const names = createNames();
  names.add(0, texts, null);
  return names;
}

it('sets what was chosen where names have other ids, and a companion calls them otherwise', () => {
  const [names, others] = [namesOf('#1', '#2', 'three'), namesOf('three', '#2', '#1')];
  names.rename(Uint32Array.of(1), ['main'], ['#2']);
  const [paths, again] = [
    createCallPaths({ whose: signal<Whose>('all') }),
    createCallPaths({ whose: signal<Whose>('all') }),
  ];
  paths.changes.value = [{ kind: 'only', text: 'x' }, { kind: 'hide', name: 1 }, { kind: 'collapse' }];
  paths.mode.value = 'inverted';
  paths.setTrail([[2], [2, 1]]);
  const texts = callPathTexts(paths, names);
  expect(texts).toEqual({
    changes: [['only', 'x'], ['hide', '#2'], ['collapse']],
    flame: { mode: 'inverted', path: ['three', '#2'] },
  });
  apply(again, texts, others);
  expect(again.changes.value).toEqual([{ kind: 'only', text: 'x' }, { kind: 'hide', name: 1 }, { kind: 'collapse' }]);
  expect([again.mode.value, again.path.value]).toEqual(['inverted', [0, 1]]);
});

it('sets the focus together with the thread and the changes that it is of', () => {
  const whose = signal<Whose>('all');
  const paths = createCallPaths({ whose });
  const flame = { mode: 'heavy', path: ['a'] } as const;
  batch(() => {
    whose.value = 2;
    apply(paths, { changes: [['collapse']], flame }, namesOf('a'));
  });
  expect([paths.path.value, paths.changes.value.length]).toEqual([[0], 1]);
});

it('leaves out what the trace lacks', () => {
  const paths = createCallPaths({ whose: signal<Whose>('all') });
  const flame = { mode: 'heavy', path: ['a', 'gone'] } as const;
  apply(
    paths,
    {
      changes: [
        ['focus', 'gone'],
        ['focus', 'a'],
        ['focus', 'a'],
      ],
      flame,
    },
    namesOf('a'),
  );
  expect([paths.changes.value, paths.path.value]).toEqual([[{ kind: 'focus', name: 0 }], []]);
});

it('loses the focus with another thread or changed paths, but for the function of a sandwich', () => {
  const whose = signal<Whose>('all');
  const paths = createCallPaths({ whose });
  paths.setTrail([[0], [0, 1]]);
  paths.mode.value = 'sandwich';
  paths.setTrail([[2], [3]]);
  whose.value = 1;
  expect(paths.trail.value).toEqual([[3]]);
  paths.mode.value = 'heavy';
  expect(paths.trail.value).toEqual([]);
  paths.setTrail([[4]]);
  paths.changes.value = [{ kind: 'collapse' }];
  expect(paths.path.value).toEqual([]);
});

it('reads what a link has, without what is damaged', () => {
  expect(readChanges([['only', 'x'], ['collapse'], ['hide'], ['focus', 1], ['no', 'x'], 7])).toEqual([
    ['only', 'x'],
    ['collapse'],
  ]);
  expect([readChanges(undefined), readFlame({}), readFlame(['up'])]).toEqual([[], null, null]);
  expect([readFlame(['sandwich', 'f']), readFlame(['heavy', 1])]).toEqual([{ mode: 'sandwich', path: ['f'] }, null]);
});

it('looks for names in portions', () => {
  let reads = 0;
  const of = (id: number) => {
    reads += 1;
    return `f${id}`;
  };
  const paths = createCallPaths({ whose: signal<Whose>('all') });
  const texts = { changes: [['hide', `f${PORTION}`]], flame: null } as const;
  const work = applyCallPaths(paths, texts, { of, keyOf: () => '', text: { length: 3 * PORTION } });
  expect(byTurns(work, () => reads).most).toBe(PORTION);
  expect(paths.changes.value).toEqual([{ kind: 'hide', name: PORTION }]);
});
