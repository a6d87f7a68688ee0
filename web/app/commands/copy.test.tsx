import { signal } from '@preact/signals';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { Page } from '../../page/page.ts';
import { mount, press, settle } from '../../parts/dom.fixture.ts';
import { Table } from '../../parts/table.tsx';
import { COMMANDS } from './commands.fixture.ts';
import { listenForCommands } from './keyboard.ts';

const copied = vi.fn(async (_: string) => undefined);

beforeEach(() => {
  copied.mockClear();
  vi.stubGlobal('navigator', { clipboard: { writeText: copied } });
  return () => vi.unstubAllGlobals();
});

/** A page with a table, a list, a field and a timeline, whose commands are heard until the end of the test. */
function page() {
  const host = mount(
    <>
      <div id="area" tabIndex={-1} />
      <Table
        label="Rows"
        id="row"
        narrowedBy={[]}
        count={3}
        row={(number) => number}
        columns={[
          { title: 'Name', cell: (row) => `name ${row}` },
          { title: 'Length', cell: (row) => `${row}\u00a0ms` },
        ]}
        current={1}
        choose={() => undefined}
      />
      <ul>
        <li data-row={0}>
          <button type="button">
            <span data-cell>rax</span>
            <span data-cell>0x5</span>
          </button>
        </li>
      </ul>
      <input value="text" />
    </>,
  );
  const area = host.querySelector<HTMLElement>('#area')!;
  const info = { clock: { kind: 'ordinal', unit: 'call', perTick: 1 } };
  const open = {
    trace: {
      info: signal(info),
      progress: signal({ extent: { from: 0n, to: 100n } }),
      tracks: signal(new Map([[4, { name: 'thread 4' }]])),
      names: { of: () => 'draw', inPlaceOf: (text: string) => text },
    },
    selection: { selected: signal<object | null>({ name: 1, track: 4, start: 10n, end: 25n }), record: signal(null) },
  };
  const fake = { commands: COMMANDS, surface: signal({ open, area }), workbench: { tell: vi.fn() } };
  onTestFinished(listenForCommands(fake as unknown as Page));
  const copyIn = (element: HTMLElement) => {
    element.focus();
    return press('c', element, { ctrlKey: true });
  };
  return { host, area, open, copyIn };
}

it('copies the current row of a table, with tabs between its cells', () => {
  const { host, copyIn } = page();
  expect(copyIn(host.querySelector<HTMLElement>('[role=grid]')!)).toBe(false);
  expect(copied.mock.calls).toEqual([['name 1\t1 ms']]);
});

it('copies the row of a list that the focus is in', () => {
  const { host, copyIn } = page();
  copyIn(host.querySelector<HTMLElement>('li button')!);
  expect(copied.mock.calls).toEqual([['rax\t0x5']]);
});

it('copies the name and the figures of the selection on the timeline', () => {
  const { area, open, copyIn } = page();
  copyIn(area);
  expect(copied.mock.calls[0]![0].split('\t')).toEqual(['draw', 'call 10', expect.stringContaining('15'), 'thread 4']);
  open.selection.selected.value = null;
  expect(copyIn(area)).toBe(true);
});

it('leaves the key to a field, and to text that is selected', async () => {
  const { host, area, copyIn } = page();
  expect(copyIn(host.querySelector('input')!)).toBe(true);
  vi.stubGlobal('getSelection', () => 'some text');
  expect(copyIn(area)).toBe(true);
  await settle();
  expect(copied).not.toHaveBeenCalled();
});
