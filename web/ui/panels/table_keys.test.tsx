import { signal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { describe, expect, it } from 'vitest';
import type { CallGraph } from '../../model/call_graph.ts';
import type { Mesh } from '../../model/mesh.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import { Vertices } from '../mesh/vertices.tsx';
import { click, mount, press } from '../parts/dom.fixture.ts';
import { EdgeTable } from './graph/table.tsx';
import { Results } from './results/results.tsx';
import { RowTable } from './row_table.tsx';

/** Rows of each table here. */
const COUNT = 1000;

/** A table under test, and the rows that it was led to. */
interface Case {
  readonly node: ComponentChild;
  readonly chose: number[];
  readonly acted: number[];
  /** Number of columns. */
  readonly columns: number;
}

const TABLES: Readonly<Record<string, () => Case>> = {
  Variables: () => {
    const [chose, acted]: [number[], number[]] = [[], []];
    const current = signal(-1);
    const columns = [
      { title: 'Name', class: 'words', cell: (row: number) => `row ${row}`, key: 'name' },
      { title: 'Count', cell: (row: number) => row },
    ];
    const Table = () => (
      <RowTable
        label="Variables"
        id="variable"
        count={COUNT}
        row={(number) => number}
        columns={columns}
        by="name"
        sortBy={() => undefined}
        current={current.value}
        move={(row) => {
          current.value = row;
          chose.push(row);
        }}
        act={(row) => {
          current.value = row;
          acted.push(row);
        }}
      />
    );
    return { node: <Table />, chose, acted, columns: 2 };
  },
  Vertices: () => {
    const chose: number[] = [];
    const marked = signal(-1);
    marked.subscribe((row) => row >= 0 && chose.push(row));
    const input = { input: { title: 'pos', divisor: 0 }, at: (vertex: number) => Float64Array.of(vertex, 1) };
    const mesh = { order: Uint32Array.from({ length: COUNT }, (_, i) => i), inputs: [input] } as unknown as Mesh;
    return { node: <Vertices mesh={mesh} instance={0} marked={marked} />, chose, acted: [], columns: 3 };
  },
  'Edges of the call graph': () => {
    const chose: number[] = [];
    const edges = Array.from({ length: COUNT }, (_, i) => ({ caller: -1, callee: i, count: 1, total: 2, self: 1 }));
    const graph: CallGraph = { nodes: new Map(), edges, whole: COUNT };
    const open = {
      trace: { names: { of: (id: number) => `f${id}` } },
      statistics: { highlighted: signal(-1) },
    } as unknown as OpenTrace;
    const clock = { kind: 'ordinal', unit: 'step' } as const;
    const chooseEdge = ({ callee }: { callee: number }) => chose.push(callee);
    return {
      node: <EdgeTable open={open} graph={graph} clock={clock as never} chooseEdge={chooseEdge} />,
      chose,
      acted: [],
      columns: 6,
    };
  },
  Hits: () => {
    const chose: number[] = [];
    const currentRow = signal(-1);
    const hit = { item: null, track: 1, start: 5n, end: null, name: null, title: 'mark', locator: 1n, matched: 'x' };
    const open = {
      trace: {
        names: { inPlaceOf: (title: string) => title },
        info: signal({ clock: { kind: 'ordinal', unit: 'step' } }),
        progress: signal({ extent: { from: 0n, to: 9n } }),
        status: signal({ at: 'ready' }),
        tracks: signal(new Map()),
      },
      find: {
        asked: signal('mark'),
        count: signal(COUNT),
        version: signal(0),
        order: signal('position'),
        state: signal({ at: 'done' }),
        currentRow,
        row: () => hit,
        want: () => undefined,
        choose: (row: number) => {
          currentRow.value = row;
          chose.push(row);
        },
      },
      derived: { keeping: signal(new Map()) },
    } as unknown as OpenTrace;
    return { node: <Results open={open} />, chose, acted: [], columns: 4 };
  },
};

describe.each(Object.entries(TABLES))('%s', (label, create) => {
  const start = () => {
    const { node, ...rest } = create();
    const host = mount(node);
    const grid = host.querySelector<HTMLElement>('[role=grid]')!;
    const active = () => document.getElementById(grid.getAttribute('aria-activedescendant') ?? '');
    return { host, grid, active, ...rest };
  };

  it('is one stop of the tab key, with the numbers of its rows', () => {
    const { grid, columns } = start();
    expect(grid.getAttribute('aria-label')).toBe(label);
    expect(grid.getAttribute('aria-rowcount')).toBe(`${COUNT + 1}`);
    expect(grid.tabIndex).toBe(0);
    expect(grid.hasAttribute('aria-activedescendant')).toBe(false);
    expect(grid.querySelectorAll('th[scope=col]').length).toBe(columns);
    const rows = [...grid.querySelectorAll('[aria-selected]')];
    expect(rows.length).toBeLessThan(50);
    expect(rows.map((row) => row.getAttribute('aria-rowindex'))).toEqual(rows.map((_, i) => `${i + 2}`));
  });

  it('moves by keys', () => {
    const { grid, active, chose } = start();
    const seen: number[] = [];
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'End', 'Home']) {
      expect(press(key, grid)).toBe(false);
      expect(active()?.getAttribute('aria-selected')).toBe('true');
      expect(active()?.getAttribute('aria-rowindex')).toBe(`${chose.at(-1)! + 2}`);
      seen.push(chose.at(-1)!);
    }
    const page = seen[3]!;
    expect(page).toBeGreaterThan(5);
    expect(seen).toEqual([0, 1, 0, page, 0, COUNT - 1, 0]);
  });

  it('leaves keys with a modifier to the page', () => {
    const { grid, chose } = start();
    for (const init of [{ ctrlKey: true }, { altKey: true }, { metaKey: true }]) {
      expect(press('ArrowDown', grid, init)).toBe(true);
    }
    expect(chose).toEqual([]);
  });

  it('has a current row after a click', () => {
    const { grid, active, chose, acted } = start();
    click(grid.querySelectorAll('[aria-selected]')[3]!);
    expect([...chose, ...acted]).toEqual([3]);
    expect(active()?.getAttribute('aria-rowindex')).toBe('5');
  });
});

/** The row that a key leads to while there is no current one. */
const first = (label: string, key: string) => {
  const { node, chose } = TABLES[label]!();
  press(key, mount(node).querySelector('[role=grid]'));
  return chose.at(-1);
};

it('begins at the first row or at the end of the table', () => {
  expect(Object.keys(TABLES).map((label) => first(label, 'End'))).toEqual([COUNT - 1, 0, 0, COUNT - 1]);
  expect(Object.keys(TABLES).map((label) => first(label, 'ArrowUp'))).toEqual([0, 0, 0, 0]);
});

it('acts on the current row by Enter', () => {
  const { node, acted } = TABLES['Variables']!();
  const grid = mount(node).querySelector('[role=grid]')!;
  expect(press('Enter', grid)).toBe(true);
  press('ArrowDown', grid);
  expect(press('Enter', grid)).toBe(false);
  expect(acted).toEqual([0]);
});

it('leaves keys in its heads to them', () => {
  const { node, chose } = TABLES['Variables']!();
  const head = mount(node).querySelector('th button');
  expect(press('ArrowDown', head)).toBe(true);
  expect(press('Enter', head)).toBe(true);
  expect(chose).toEqual([]);
});
