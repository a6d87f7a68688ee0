import { expect, it } from 'vitest';
import { Dialog } from './dialog.tsx';
import { click, mount, press, send } from './dom.fixture.ts';

function dialog() {
  const closed: string[] = [];
  const host = mount(
    <Dialog class="keys" title="head" close={() => closed.push('closed')}>
      <h2 id="head">Keys</h2>
    </Dialog>,
  );
  return { closed, element: host.querySelector('dialog')! };
}

it('is a modal dialog with the name of its heading', () => {
  const { element } = dialog();
  expect(element.open).toBe(true);
  expect(element.getAttribute('aria-labelledby')).toBe('head');
});

it('closes with a click beside it, and not with one inside', () => {
  const { element, closed } = dialog();
  click(element.querySelector('h2'));
  expect(closed).toEqual([]);
  click(element);
  expect(closed).toEqual(['closed']);
});

it('closes when the browser closes it, and keeps Escape from the page', () => {
  const { element, closed } = dialog();
  const heard: string[] = [];
  const hear = ({ key }: KeyboardEvent) => heard.push(key);
  window.addEventListener('keydown', hear);
  press('Escape', element);
  press('a', element);
  window.removeEventListener('keydown', hear);
  expect(heard).toEqual(['a']);
  send(element, new Event('close'));
  expect(closed).toEqual(['closed']);
});
