import { signal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { describe, expect, it } from 'vitest';
import { createScope } from '../base/scope.ts';
import { EdgeTable } from '../features/calls/graph/table.tsx';
import { Vertices } from '../features/graphics/mesh/vertices.tsx';
import type { Mesh } from '../features/graphics/mesh.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';
import { Results } from '../timeline/widgets/hits.tsx';
import type { CallGraph } from '../trace/call_graph.ts';
import { click, mount, press, send } from './dom.fixture.ts';
import { MenuContext, type MenuOfCommands, type MenuRequest } from './menu/request.ts';
import { Table } from './table.tsx';

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
    const act = (row: number) => {
      current.value = row;
      acted.push(row);
    };
    const Variables = () => (
      <Table
        label="Variables"
        id="variable"
        narrowedBy={[]}
        count={COUNT}
        row={(number) => number}
        columns={columns}
        by="name"
        sortBy={() => undefined}
        current={current.value}
        choose={(row) => {
          current.value = row;
          chose.push(row);
        }}
        click={act}
        act={act}
      />
    );
    return { node: <Variables />, chose, acted, columns: 2 };
  },
  Vertices: () => {
    const chose: number[] = [];
    const marked = signal(-1);
    marked.subscribe((row) => row >= 0 && chose.push(row));
    const inputs = [{ title: 'pos', numbers: (vertex: number) => [vertex, 1] }];
    const mesh = { order: Uint32Array.from({ length: COUNT }, (_, i) => i) } as unknown as Mesh;
    return { node: <Vertices mesh={mesh} columns={inputs} marked={marked} />, chose, acted: [], columns: 3 };
  },
  'Edges of the call graph': () => {
    const chose: number[] = [];
    const edges = Array.from({ length: COUNT }, (_, i) => ({ caller: -1, callee: i, count: 1, total: 2, self: 1 }));
    const graph: CallGraph = { nodes: new Map(), edges, whole: COUNT };
    const of = (id: number) => `f${id}`;
    const open = {
      trace: { names: { of, shown: of } },
      statistics: { highlighted: signal(-1), range: signal(null), whose: signal('all') },
    } as unknown as OpenTrace;
    const clock = { kind: 'ordinal', unit: 'step' } as const;
    const chooseEdge = ({ callee }: { callee: number }) => chose.push(callee);
    return {
      node: (
        <EdgeTable open={open} graph={graph} clock={clock as never} about={(text) => text} chooseEdge={chooseEdge} />
      ),
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
        info: signal({ clock: { kind: 'ordinal', unit: 'step' }, offers: [] }),
        progress: signal({ extent: { from: 0n, to: 9n } }),
        status: signal({ at: 'ready' }),
        tracks: signal(new Map()),
      },
      find: {
        asked: signal('mark'),
        count: signal(COUNT),
        current: signal(-1),
        listed: signal({ first: 0, end: COUNT }),
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
      statistics: { range: signal(null) },
      scope: createScope(),
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

it.each(Object.keys(TABLES))('%s begins at what is in sight', (label) => {
  expect(first(label, 'ArrowDown')).toBe(0);
  expect(first(label, 'ArrowUp')).toBe(0);
  expect(first(label, 'Home')).toBe(0);
  expect(first(label, 'End')).toBe(COUNT - 1);
  expect(first(label, 'PageDown')).toBeGreaterThan(5);
});

it.each(Object.keys(TABLES))('%s acts on its current row by Enter', (label) => {
  const { node, chose, acted } = TABLES[label]!();
  const grid = mount(node).querySelector('[role=grid]')!;
  expect(press('Enter', grid)).toBe(true);
  press('ArrowDown', grid);
  const before = chose.length + acted.length;
  expect(press('Enter', grid)).toBe(false);
  // A table without anything else to do chooses the row again.
  expect(chose.length + acted.length).toBeGreaterThanOrEqual(before);
  expect(acted).toEqual(label === 'Variables' ? [0] : []);
});

it.each(Object.keys(TABLES))('%s has a menu for its rows, by key and pointer', (label) => {
  const requests: MenuRequest[] = [];
  const { node } = TABLES[label]!();
  const host = mount(
    <MenuContext.Provider
      value={(request) => {
        requests.push(request);
        return true;
      }}
    >
      {node}
    </MenuContext.Provider>,
  );
  const grid = host.querySelector('[role=grid]')!;
  press('ArrowDown', grid);
  const byKey = new MouseEvent('contextmenu', { bubbles: true, cancelable: true, button: -1 });
  expect(send(grid, byKey)).toBe(false);
  const row = grid.querySelectorAll('[data-row]')[2]!;
  const byPointer = new MouseEvent('contextmenu', { bubbles: true, cancelable: true, button: 2 });
  expect(send(row.querySelector('td')!, byPointer)).toBe(false);
  expect(requests.map(({ byKey, marked }) => [byKey, marked?.getAttribute('data-row')])).toEqual([
    [true, '0'],
    [false, '2'],
  ]);
  expect((requests[1] as MenuOfCommands).row?.cells).toEqual([...row.children].map((cell) => cell.textContent?.trim()));
});

it('leaves keys in its heads and in the buttons of rows to them', () => {
  const { node, chose } = TABLES['Variables']!();
  const head = mount(node).querySelector('th button');
  expect(press('ArrowDown', head)).toBe(true);
  expect(press('Enter', head)).toBe(true);
  expect(chose).toEqual([]);
});

it('goes on by keys after a click on a button in a row', () => {
  const chose: number[] = [];
  const columns = [
    {
      title: 'Fold',
      cell: () => (
        <button type="button" tabIndex={-1}>
          ▸
        </button>
      ),
    },
  ];
  const host = mount(
    <Table
      label="Calls"
      id="call"
      narrowedBy={[]}
      count={9}
      row={(row) => row}
      columns={columns}
      current={2}
      choose={(row) => chose.push(row)}
    />,
  );
  const button = host.querySelector('td button');
  expect(press('Enter', button)).toBe(true);
  expect(press('ArrowDown', button)).toBe(false);
  expect(chose).toEqual([3]);
});

it('reaches the last of more rows than a browser can lay out', () => {
  const current = signal(-1);
  const Rows = () => (
    <Table
      label="Rows"
      id="row"
      narrowedBy={[]}
      count={100_000_000}
      row={(row) => row}
      columns={[{ title: 'Number', cell: (row: number) => row }]}
      current={current.value}
      choose={(row) => {
        current.value = row;
      }}
    />
  );
  const grid = mount(<Rows />).querySelector('[role=grid]')!;
  press('End', grid);
  expect(document.getElementById('row-99999999')?.getAttribute('aria-selected')).toBe('true');
  const heights = [...grid.querySelectorAll<HTMLElement>('.spacer td')].map((gap) =>
    Number.parseFloat(gap.style.height),
  );
  expect(heights.reduce((sum, height) => sum + height, 0)).toBeLessThan(8_000_000);
});

it('scrolls by keys if its rows cannot be chosen', () => {
  const host = mount(
    <Table
      label="Contents"
      id="element"
      narrowedBy={[]}
      count={COUNT}
      row={(row) => row}
      columns={[{ title: '#', cell: String }]}
    />,
  );
  const table = host.querySelector('table')!;
  expect(table.hasAttribute('role')).toBe(false);
  expect(host.querySelector('[aria-selected]')).toBeNull();
  expect(press('End', table)).toBe(false);
  expect(document.getElementById(`element-${COUNT - 1}`)).not.toBeNull();
  expect(press('Home', table)).toBe(false);
  expect(document.getElementById('element-0')).not.toBeNull();
});

it('is a tree if its rows have levels', () => {
  const chose: number[] = [];
  const keys: string[] = [];
  const host = mount(
    <Table
      label="Call tree"
      id="tree"
      narrowedBy={[]}
      count={3}
      row={(row) => row}
      columns={[{ title: 'Function', cell: (row: number) => `f${row}`, key: 'name' }]}
      by="name"
      sortBy={() => undefined}
      current={1}
      choose={(row) => chose.push(row)}
      onKey={({ key }) => key === 'ArrowRight' && keys.push(key) > 0}
      level={(row) => ({ level: row + 1, position: 1, siblings: 2, isOpen: row === 2 ? null : row === 0 })}
    />,
  );
  const tree = host.querySelector('[role=tree]')!;
  expect(tree.getAttribute('aria-label')).toBe('Call tree');
  expect(tree.getAttribute('aria-activedescendant')).toBe('tree-1');
  const items = [...tree.querySelectorAll('[role=treeitem]')];
  expect(items.map((item) => item.getAttribute('aria-level'))).toEqual(['1', '2', '3']);
  expect(items.map((item) => item.getAttribute('aria-expanded'))).toEqual(['true', 'false', null]);
  expect(items.map((item) => item.getAttribute('aria-selected'))).toEqual(['false', 'true', 'false']);
  expect(host.querySelector('th button')?.getAttribute('aria-pressed')).toBe('true');
  expect(host.querySelector('[aria-sort]')).toBeNull();
  press('ArrowRight', tree);
  press('ArrowDown', tree);
  expect([keys, chose]).toEqual([['ArrowRight'], [2]]);
});
