import { describe, expect, it } from 'vitest';
import type { Look } from '../base/companions.ts';
import { type LookedAt, planFor, type Shown } from './opening.ts';
import { parseRunList } from './run_list.ts';

const look = (parts: Partial<Look>): Look => ({ format: null, confidence: 0, companion: null, looks: null, ...parts });
const XRAY = look({ format: 'xray', confidence: 2 });
const CERTAIN = look({ format: 'rvn', confidence: 3 });
const NAMES = look({ companion: 'names', looks: 'a list of names' });
const ELF = look({ looks: 'an ELF binary' });
const NOTHING = look({});

const plan = (looks: readonly LookedAt[], shown: Shown | null = null, names = looks.map((_, i) => `file${i}`)) =>
  planFor(
    names.map((name, i) => ({ file: new File([], name, { lastModified: 9 - i }), name })),
    looks,
    shown,
  );

describe('files chosen together', () => {
  it('open the most certain trace, with its companions', () => {
    expect(plan([NAMES, XRAY, CERTAIN, XRAY])).toEqual({
      trace: 2,
      companions: [{ file: 0, kind: 'names' }],
      second: null,
      notice:
        '2 more traces are not shown: file1, file3. Two of one format are compared. Runs of two sides are, too, if they are named like before-1, before-2 and after-1.',
    });
  });

  it('compare two traces of one format, that which was written last with the other', () => {
    expect(plan([XRAY, XRAY])).toEqual({ trace: 1, companions: [], second: { file: 0, companions: [] }, notice: '' });
    const three = plan([XRAY, XRAY, XRAY]);
    expect([three.trace, three.second?.file, three.notice]).toEqual([1, 0, '']);
    // They may be runs that are ranked, which is known once one is open.
    expect(three.second?.others?.files.map(({ name }) => name)).toEqual(['file2']);
    expect(three.second?.others?.notice).toBe(
      'file2 is not shown. Two of one format are compared. Runs of two sides are, too, if they are named like before-1, before-2 and after-1.',
    );
  });

  it('compare two traces that were written at once in the order of the choice, also if one is empty', () => {
    const chosen = ['empty', 'full'].map((name) => ({ file: new File([], name, { lastModified: 1 }), name }));
    const empty = look({ format: 'rvn', confidence: 1 });
    for (const looks of [
      [empty, CERTAIN],
      [CERTAIN, empty],
      [CERTAIN, CERTAIN],
    ])
      expect(planFor(chosen, looks, null)).toMatchObject({ trace: 0, second: { file: 1 } });
  });

  it('compare runs of two sides, which have names that differ in the last number only', () => {
    const names = ['after-1.xray', 'before-2.xray', 'after-2.xray', 'before-1.xray'];
    const { trace, second, notice } = plan([XRAY, XRAY, XRAY, XRAY], null, names);
    expect([trace, second?.file, notice]).toEqual([1, 0, '']);
    expect(second?.runs?.map((side) => side.map(({ name }) => name))).toEqual([['before-1.xray'], ['after-2.xray']]);
    const versions = plan([XRAY, XRAY, XRAY], null, ['v2-1.xray', 'v1-1.xray', 'v1-2.xray']);
    expect([versions.trace, versions.second?.file]).toEqual([1, 0]);
    expect(versions.second?.runs?.map((side) => side.map(({ name }) => name))).toEqual([['v1-2.xray'], []]);
    // A program of one side, which its runs share.
    const built = plan([XRAY, XRAY, XRAY, NAMES], null, ['b_2.xray', 'a_1.xray', 'a_2.xray', 'a.names']);
    expect([built.companions.length, built.second?.companions.length]).toEqual([1, 0]);
    // Runs of one side are nothing to compare.
    expect(plan([XRAY, XRAY, XRAY], null, ['a1', 'a2', 'a3']).second).toMatchObject({ file: 0, companions: [] });
  });

  it('have a list that says which of them failed, which is no companion', () => {
    const list = parseRunList('runs.txt', 'pass a.xray\nfail b.xray');
    const names = ['a.xray', 'runs.txt', 'b.xray'];
    const { companions, second, notice } = plan([XRAY, { ...NAMES, list }, XRAY], null, names);
    expect([companions, second?.listed, second?.others, notice]).toEqual([[], list, undefined, '']);
  });

  it('give a companion to the trace of its name, and others to both', () => {
    const names = ['before.xray', 'after.xray', 'before.names', 'all.names'];
    const { trace, companions, second } = plan([XRAY, XRAY, NAMES, NAMES], null, names);
    const files = (of: readonly { readonly file: number }[] | undefined) => of?.map(({ file }) => file);
    expect([trace, files(companions), second?.file, files(second?.companions)]).toEqual([1, [3], 0, [2, 3]]);
  });

  it('give each trace one of two builds of a program', () => {
    // The first file is the newest.
    const names = ['new.xray', 'old.xray', 'app2.names', 'app1.names', 'all.names'];
    const { companions, second } = plan([XRAY, XRAY, NAMES, NAMES, NAMES], null, names);
    const files = (of: readonly { readonly file: number }[] | undefined) => of?.map(({ file }) => file);
    expect([files(companions), files(second?.companions)]).toEqual([
      [3, 4],
      [2, 4],
    ]);
  });

  it('add companions to the open trace if it takes them', () => {
    const shown: Shown = { takes: ['names'] };
    expect(plan([NAMES], shown)).toMatchObject({ trace: null, companions: [{ file: 0, kind: 'names' }], notice: '' });
    const useless = plan([NAMES], { takes: [] });
    expect(useless.companions).toEqual([]);
    expect(useless.notice).toBe('file0 is a list of names, which this trace cannot use.');
  });

  it('keep companions for a trace that is still to come', () => {
    expect(plan([NAMES])).toMatchObject({ trace: null, companions: [{ file: 0, kind: 'names' }], notice: '' });
  });

  it('say what fits nothing', () => {
    expect(plan([XRAY, ELF, NOTHING]).notice).toBe(
      'file1 looks like an ELF binary, not like a trace. file2 is not a file that Unspool can open.',
    );
    expect(plan([ELF, ELF, ELF, ELF, ELF]).notice).toMatch(/file2 looks like .* 2\smore\sfiles cannot be shown\.$/);
  });
});
