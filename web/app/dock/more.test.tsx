import { expect, it, onTestFinished } from 'vitest';
import { MenuHost } from '../commands/menu_host.tsx';
import '../commands/more_commands.ts';
import '../../parts/menu/menu.tsx';
import type { Page } from '../../page/page.ts';
import { click, mount, pointerDown, press, settle } from '../../parts/dom.fixture.ts';
import { returnFocus } from '../../parts/focus_return.ts';
import { More } from './more.tsx';

const ITEMS = [
  ['coverage', 'Coverage'],
  ['query', 'SQL'],
  ['statements', 'Statements'],
] as const;

function more() {
  const chose: string[] = [];
  const host = mount(
    <>
      <MenuHost page={{} as Page}>
        <More items={ITEMS} choose={(id) => chose.push(id)} />
      </MenuHost>
      <p>elsewhere</p>
    </>,
  );
  const menu = () => document.querySelector('[role=menu]');
  return {
    chose,
    menu,
    button: host.querySelector('button')!,
    elsewhere: host.querySelector('p')!,
    item: (title: string) =>
      [...menu()!.querySelectorAll<HTMLElement>('[role=menuitem]')].find((it) => it.textContent === title)!,
  };
}

const focused = () => document.activeElement?.textContent;

/** Opens the menu, whose code is loaded with the first one. */
async function open(button: HTMLElement): Promise<void> {
  button.focus();
  click(button);
  await settle();
}

it('opens below its button with the focus in its first entry', async () => {
  const { button, menu } = more();
  expect(button.getAttribute('aria-haspopup')).toBe('menu');
  expect(button.getAttribute('aria-expanded')).toBe('false');
  await open(button);
  expect(button.getAttribute('aria-expanded')).toBe('true');
  expect(menu()?.getAttribute('aria-label')).toBe('More panels');
  expect(focused()).toBe('Coverage');
});

it('is complete by keyboard', async () => {
  const { button, chose, menu } = more();
  await open(button);
  for (const [key, title] of [
    ['ArrowDown', 'SQL'],
    ['End', 'Statements'],
    ['ArrowDown', 'Coverage'],
    ['ArrowUp', 'Statements'],
    ['Home', 'Coverage'],
    ['s', 'SQL'],
    ['Home', 'Coverage'],
  ] as const) {
    press(key);
    expect(focused()).toBe(title);
  }
  press('ArrowDown');
  press('Enter');
  await settle();
  expect(chose).toEqual(['query']);
  expect(menu()).toBeNull();
  await open(button);
  press(' ');
  await settle();
  expect(chose).toEqual(['query', 'coverage']);
});

it('closes by Escape and Tab with the focus on its button, and with a click elsewhere', async () => {
  onTestFinished(returnFocus(() => null));
  const { button, menu, elsewhere } = more();
  for (const key of ['Escape', 'Tab']) {
    await open(button);
    press(key);
    expect(menu()).toBeNull();
    await settle();
    expect(document.activeElement).toBe(button);
    expect(button.getAttribute('aria-expanded')).toBe('false');
  }
  await open(button);
  pointerDown(elsewhere);
  expect(menu()).toBeNull();
});

it('closes when its button is clicked again', async () => {
  const { button, menu } = more();
  await open(button);
  pointerDown(button);
  button.focus();
  click(button);
  await settle();
  expect(menu()).toBeNull();
  expect(button.getAttribute('aria-expanded')).toBe('false');
});

it('chooses by a click', async () => {
  const { button, chose, item } = more();
  await open(button);
  click(item('Statements'));
  await settle();
  expect(chose).toEqual(['statements']);
});
