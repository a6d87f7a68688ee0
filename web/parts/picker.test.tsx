import { expect, it } from 'vitest';
import { click, mount, pointerDown, press, send } from './dom.fixture.ts';
import { Picker } from './picker.tsx';

const CHOICES = Array.from({ length: 100 }, (_, id) => ({ id, name: `thread ${id}` }));

function picker(chosen = 3) {
  const chose: (number | string)[] = [];
  const host = mount(
    <>
      <Picker label="Threads" choices={CHOICES} chosen={chosen} choose={(id) => chose.push(id)} />
      <p>elsewhere</p>
    </>,
  );
  return {
    chose,
    button: host.querySelector('button')!,
    elsewhere: host.querySelector('p')!,
    field: () => host.querySelector<HTMLInputElement>('[role=combobox]'),
    list: () => host.querySelector('[role=listbox]'),
    marked: () =>
      document.getElementById(host.querySelector('[role=combobox]')!.getAttribute('aria-activedescendant')!),
  };
}

it('names what is chosen and says whether its list is shown', () => {
  const { button, field } = picker();
  expect(button.getAttribute('aria-label')).toBe('Threads: thread 3');
  expect(button.getAttribute('aria-haspopup')).toBe('listbox');
  expect(button.getAttribute('aria-expanded')).toBe('false');
  click(button);
  expect(button.getAttribute('aria-expanded')).toBe('true');
  expect(document.activeElement).toBe(field());
  click(button);
  expect(field()).toBeNull();
});

it('opens with an arrow, with what is chosen marked', () => {
  const { button, list, marked } = picker();
  button.focus();
  expect(press('ArrowDown')).toBe(false);
  expect(marked()?.textContent).toBe('thread 3');
  expect(marked()?.getAttribute('aria-selected')).toBe('true');
  expect(marked()?.getAttribute('aria-setsize')).toBe('100');
  expect(marked()?.getAttribute('aria-posinset')).toBe('4');
  expect(list()?.getAttribute('aria-label')).toBe('Threads');
});

it('is complete by keyboard', () => {
  const { button, field, marked, chose } = picker();
  click(button);
  for (const [key, name] of [
    ['ArrowDown', 'thread 4'],
    ['PageDown', 'thread 15'],
    ['ArrowUp', 'thread 14'],
    ['PageUp', 'thread 3'],
  ] as const) {
    expect(press(key)).toBe(false);
    expect(marked()?.textContent).toBe(name);
  }
  // Home and End move the caret.
  expect(press('End')).toBe(true);
  press('Enter');
  expect(chose).toEqual([3]);
  expect(field()).toBeNull();
  expect(document.activeElement).toBe(button);
});

it('narrows the list by words', () => {
  const { button, field, marked, list, chose } = picker();
  click(button);
  field()!.value = '9 thr';
  send(field(), new InputEvent('input', { bubbles: true }));
  expect(marked()?.textContent).toBe('thread 9');
  expect(marked()?.getAttribute('aria-setsize')).toBe('19');
  field()!.value = 'none';
  send(field(), new InputEvent('input', { bubbles: true }));
  expect(list()?.textContent).toContain('No match');
  expect(field()!.hasAttribute('aria-activedescendant')).toBe(false);
  press('Enter');
  expect(chose).toEqual([]);
});

it('closes by Escape and Tab, and with a click elsewhere, which keeps the focus', () => {
  const { button, field, elsewhere } = picker();
  for (const key of ['Escape', 'Tab']) {
    click(button);
    let isHeard = false;
    const hear = () => {
      isHeard = true;
    };
    window.addEventListener('keydown', hear);
    press(key);
    window.removeEventListener('keydown', hear);
    expect(field()).toBeNull();
    expect(document.activeElement).toBe(button);
    expect(isHeard).toBe(key === 'Tab');
  }
  click(button);
  pointerDown(field()!);
  expect(field()).not.toBeNull();
  pointerDown(elsewhere);
  expect(field()).toBeNull();
});

it('chooses by a click', () => {
  const { button, list, chose } = picker();
  click(button);
  click([...list()!.querySelectorAll('[role=option]')].find((it) => it.textContent === 'thread 5')!);
  expect(chose).toEqual([5]);
});
