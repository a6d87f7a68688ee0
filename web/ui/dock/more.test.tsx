import { expect, it } from 'vitest';
import { click, mount, pointerDown, press } from '../parts/dom.fixture.ts';
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
      <More items={ITEMS} choose={(id) => chose.push(id)} />
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

it('opens below its button with the focus in its first entry', () => {
  const { button, menu } = more();
  expect(button.getAttribute('aria-haspopup')).toBe('menu');
  expect(button.getAttribute('aria-expanded')).toBe('false');
  button.focus();
  click(button);
  expect(button.getAttribute('aria-expanded')).toBe('true');
  expect(menu()?.getAttribute('aria-label')).toBe('More panels');
  expect(focused()).toBe('Coverage');
});

it('is complete by keyboard', () => {
  const { button, chose, menu } = more();
  button.focus();
  click(button);
  for (const [key, title] of [
    ['ArrowDown', 'SQL'],
    ['End', 'Statements'],
    ['ArrowDown', 'Coverage'],
    ['ArrowUp', 'Statements'],
    ['Home', 'Coverage'],
  ] as const) {
    press(key);
    expect(focused()).toBe(title);
  }
  press('ArrowDown');
  press('Enter');
  expect(chose).toEqual(['query']);
  expect(menu()).toBeNull();
  click(button);
  press(' ');
  expect(chose).toEqual(['query', 'coverage']);
});

it('closes by Escape and Tab with the focus on its button, and with a click elsewhere', () => {
  const { button, menu, elsewhere } = more();
  for (const key of ['Escape', 'Tab']) {
    button.focus();
    click(button);
    press(key);
    expect(menu()).toBeNull();
    expect(document.activeElement).toBe(button);
  }
  click(button);
  pointerDown(elsewhere);
  expect(menu()).toBeNull();
});

it('closes when its button is clicked again', () => {
  const { button, menu } = more();
  click(button);
  pointerDown(button);
  click(button);
  expect(menu()).toBeNull();
});

it('chooses by a click', () => {
  const { button, chose, item } = more();
  click(button);
  click(item('Statements'));
  expect(chose).toEqual(['statements']);
});
