import { expect, it } from 'vitest';
import { COMMANDS } from '../../app/commands/commands.fixture.ts';
import { click, mount, pointerDown, press, send } from '../dom.fixture.ts';
import { Menu } from './menu.tsx';
import { atPoint, type MenuItem } from './request.ts';

const item = (id: string): MenuItem => {
  const { title, inMenu, keys } = COMMANDS.find((command) => command.id === id)!;
  return { id, title: inMenu ?? title, chord: keys[0], run: () => undefined };
};
const GROUPS = [
  [item('fit-selection'), item('select-range')],
  [item('copy-name'), item('copy-position')],
];

function menu(byKey = true) {
  const log: string[] = [];
  const marked = document.createElement('span');
  const host = mount(<button type="button">before</button>);
  host.querySelector('button')!.focus();
  const element = mount(
    <Menu
      request={{ label: 'draw', menu: 'item', at: atPoint(10, 20), byKey, marked }}
      groups={GROUPS}
      run={({ id }) => log.push(id)}
      close={() => log.push('close')}
    />,
  );
  return { log, marked, box: element.querySelector<HTMLElement>('[role=menu]')!, before: host.firstElementChild };
}

const focused = () => document.activeElement?.querySelector('span')?.textContent;
const titles = GROUPS.flat().map(({ title }) => title);

it('has its commands in groups, at the place that was asked for', () => {
  const { box, marked } = menu();
  expect(box.getAttribute('aria-label')).toBe('draw');
  expect([...box.querySelectorAll('[role=menuitem] > span:first-child')].map((it) => it.textContent)).toEqual(titles);
  expect(box.querySelectorAll('[role=separator]').length).toBe(1);
  expect(box.style.left).toBe('10px');
  expect(box.style.top).toBe('20px');
  expect(marked.hasAttribute('data-menu')).toBe(true);
});

it('has the focus: in the first entry if a key asked for it', () => {
  menu();
  expect(focused()).toBe(titles[0]);
  const { box } = menu(false);
  expect(document.activeElement).toBe(box);
  press('ArrowUp');
  expect(focused()).toBe(titles.at(-1));
});

it('moves by arrows and by the letters of titles', () => {
  menu();
  for (const [key, i] of [
    ['ArrowDown', 1],
    ['End', 3],
    ['ArrowDown', 0],
    ['ArrowUp', 3],
    ['Home', 0],
  ] as const) {
    expect(press(key)).toBe(false);
    expect(focused()).toBe(titles[i]);
  }
  for (const letter of 'copy the p') press(letter);
  expect(focused()).toBe(titles[3]);
});

it('runs an entry by Enter, space and click, and closes by Escape and Tab', () => {
  const { log, box } = menu();
  press('Enter');
  press('ArrowDown');
  press(' ');
  click(box.querySelectorAll('[role=menuitem]')[2]!);
  press('Escape');
  press('Tab');
  expect(log).toEqual(['fit-selection', 'select-range', 'copy-name', 'close', 'close']);
});

it('closes with a click elsewhere, by the wheel elsewhere, and when the window changes', () => {
  const { log, box } = menu();
  pointerDown(box);
  send(box, new WheelEvent('wheel', { bubbles: true }));
  expect(log).toEqual([]);
  pointerDown(document.body);
  send(document.body, new WheelEvent('wheel', { bubbles: true }));
  send(window, new Event('resize'));
  send(window, new Event('blur'));
  expect(log).toEqual(['close', 'close', 'close', 'close']);
});

it('keeps its keys from the page', () => {
  menu();
  const heard: string[] = [];
  const hear = ({ key }: KeyboardEvent) => heard.push(key);
  window.addEventListener('keydown', hear);
  for (const key of ['Escape', 'ArrowDown', 'q', 'F1']) press(key);
  window.removeEventListener('keydown', hear);
  expect(heard).toEqual([]);
});
