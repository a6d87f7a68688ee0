import { signal } from '@preact/signals';
import { act } from 'preact/test-utils';
import { beforeEach, expect, it } from 'vitest';
import { choicesOf, choose, NO_CHOICES } from './columns.ts';
import { click, mount, press, send } from './dom.fixture.ts';
import { MenuContext, type MenuItem, type MenuRequest } from './menu/request.ts';
import { Table } from './table.tsx';

const NAMES = ['pear', 'Apple', 'fig', 'quince'];
const COUNTS = [7, 30, Number.NaN, 7];

let requests: MenuRequest[];
beforeEach(() => {
  requests = [];
  localStorage.clear();
  choose('fruit', NO_CHOICES);
});

const chosen = signal(-1);

function Fruit() {
  return (
    <MenuContext.Provider
      value={(request) => {
        requests.push(request);
        return true;
      }}
    >
      <Table
        label="Fruit"
        id="fruit"
        narrowedBy={[]}
        count={NAMES.length}
        row={(number) => number}
        sorts={NAMES}
        columns={[
          { title: '#', cell: (row) => row + 1 },
          { title: 'Name', class: 'words', cell: (row) => NAMES[row], value: (row) => NAMES[row]! },
          { title: 'Count', cell: (row) => COUNTS[row], value: (row) => COUNTS[row]! },
        ]}
        current={chosen.value}
        choose={(row) => {
          chosen.value = row;
        }}
      />
    </MenuContext.Provider>
  );
}

const headsIn = (host: Element) => [...host.querySelectorAll<HTMLElement>('th > button')];
const titlesIn = (host: Element) => headsIn(host).map((head) => head.firstChild?.textContent);
const column = (host: Element, at: number) =>
  [...host.querySelectorAll('tbody tr')].map((row) => row.children[at]?.textContent);
/** Opens the menu of a head by key, and returns its entries. */
const menuOf = (host: Element, at: number): readonly MenuItem[] => {
  const head = headsIn(host)[at]!;
  head.focus();
  send(head, new MouseEvent('contextmenu', { bubbles: true, cancelable: true, button: -1 }));
  const request = requests.at(-1);
  return request && 'items' in request ? request.items : [];
};
const run = (host: Element, at: number, title: string) => {
  const item = menuOf(host, at).find((entry) => entry.title === title);
  expect(item, title).toBeDefined();
  act(() => item!.run());
};

it('hides, moves and shows columns from the menu of a head, and brings all back', () => {
  const host = mount(<Fruit />);
  run(host, 1, 'Hide column');
  expect(titlesIn(host)).toEqual(['#', 'Count']);
  run(host, 1, 'Move left');
  expect(titlesIn(host)).toEqual(['Count', '#']);
  expect(column(host, 0)).toEqual(['7', '30', 'NaN', '7']);
  expect(
    menuOf(host, 0)
      .filter(({ checked }) => checked !== undefined)
      .map((it) => [it.title, it.checked]),
  ).toEqual([
    ['Count', true],
    ['#', true],
    ['Name', false],
  ]);
  run(host, 0, 'Name');
  expect(titlesIn(host)).toEqual(['Count', '#', 'Name']);
  expect(choicesOf('fruit').peek().order).toEqual(['Count', '#', 'Name']);
  // Another table of the name has the same columns.
  expect(titlesIn(mount(<Fruit />))).toEqual(['Count', '#', 'Name']);
  run(host, 0, 'Reset columns');
  expect(titlesIn(host)).toEqual(['#', 'Name', 'Count']);
  expect(menuOf(host, 0).some(({ title }) => title === 'Reset columns')).toBe(false);
});

it('resizes and moves columns by keys, and the tab key reaches one head', () => {
  const host = mount(<Fruit />);
  const reached = () => headsIn(host).map((head) => head.tabIndex);
  expect(reached()).toEqual([0, -1, -1]);
  headsIn(host)[0]!.focus();
  expect(press('ArrowRight')).toBe(false);
  expect([document.activeElement === headsIn(host)[1], reached()]).toEqual([true, [-1, 0, -1]]);
  expect(press('ArrowRight', document.activeElement, { ctrlKey: true })).toBe(false);
  expect(titlesIn(host)).toEqual(['#', 'Count', 'Name']);
  press('ArrowRight', headsIn(host)[2], { shiftKey: true });
  // A document without layout has no widths: each is the narrowest.
  expect(choicesOf('fruit').peek().widths['Name']).toBe(36);
  expect(host.querySelectorAll('tbody tr')[0]!.querySelectorAll('.rest')).toHaveLength(1);
  expect(host.querySelectorAll('col')).toHaveLength(4);
});

it('resizes a column by its edge while the pointer is down, and remembers the end', () => {
  const host = mount(<Fruit />);
  const edge = host.querySelectorAll('.column-edge')[1]!;
  const pointer = (type: string, clientX: number) =>
    send(edge, new PointerEvent(type, { bubbles: true, clientX, pointerId: 1, button: 0 }));
  pointer('pointerdown', 100);
  pointer('pointermove', 180);
  expect(choicesOf('fruit').peek().widths['Name']).toBe(80);
  expect(localStorage.getItem('unspool:columns')).toBe('[]');
  pointer('pointerup', 200);
  expect(localStorage.getItem('unspool:columns')).toContain('"Name":100');
  pointer('pointermove', 300);
  expect(choicesOf('fruit').peek().widths['Name']).toBe(100);
});

it('sorts its rows, which keep their numbers for their owner', () => {
  chosen.value = 2;
  const host = mount(<Fruit />);
  const [number, name, count] = headsIn(host);
  click(number!);
  expect(column(host, 0)).toEqual(['1', '2', '3', '4']);
  click(count!);
  // NaN comes last, and equal ones stay as they were.
  expect(column(host, 1)).toEqual(['pear', 'quince', 'Apple', 'fig']);
  expect(host.querySelector('[aria-selected=true]')?.children[1]?.textContent).toBe('fig');
  click(count!);
  expect(column(host, 1)).toEqual(['Apple', 'pear', 'quince', 'fig']);
  click(host.querySelectorAll('tbody tr')[1]!);
  expect(chosen.value).toBe(0);
  press('ArrowDown', host.querySelector('[role=grid]'));
  expect(chosen.value).toBe(3);
  click(count!);
  expect(column(host, 0)).toEqual(['1', '2', '3', '4']);
  click(name!);
  expect(name!.closest('th')?.getAttribute('aria-sort')).toBe('ascending');
});
