import { signal } from '@preact/signals';
import { act } from 'preact/test-utils';
import { expect, it, onTestFinished } from 'vitest';
import { type HeaderMenuProps, MenuButton } from '../../page/menu_button.tsx';
import { click, mount, pointerDown, press, settle } from '../../parts/dom.fixture.ts';
import { returnFocus } from '../../parts/focus_return.ts';
import type { Trace } from '../../trace/trace.ts';
import { Problems } from './problems.tsx';

const PROBLEM = {
  kind: 'truncated',
  summary: 'the file ends early',
  serious: true,
  isLimit: false,
  count: 1,
  first: { offset: 12n, sentence: 'a record of 16 bytes has 4' },
};

/** The parts of a trace that the list of problems shows. */
function problems() {
  const trace = {
    progress: signal<{ readonly problems: readonly (typeof PROBLEM)[] }>({ problems: [PROBLEM] }),
    status: signal({ at: 'ready', error: null }),
    info: signal(null),
  };
  const host = mount(
    <>
      <Problems trace={trace as unknown as Trace} />
      <p>elsewhere</p>
    </>,
  );
  return {
    trace,
    button: host.querySelector('button')!,
    elsewhere: host.querySelector('p')!,
    popover: () => host.querySelector('[role=dialog]'),
  };
}

function menuButton(load: () => Promise<(props: HeaderMenuProps) => preact.VNode>) {
  const host = mount(
    <>
      <MenuButton
        open={null as never}
        page={null as never}
        look="plain"
        popover="notes-popover"
        label="Notes"
        title="Notes of this trace"
        load={load}
        failure="The notes could not be loaded."
      >
        N
      </MenuButton>
      <p>elsewhere</p>
    </>,
  );
  return {
    button: host.querySelector('button')!,
    elsewhere: host.querySelector('p')!,
    popover: () => host.querySelector('.popover'),
  };
}

const Menu = ({ close }: HeaderMenuProps) => (
  <section class="popover" role="dialog" aria-label="Notes">
    <button type="button" onClick={close}>
      Done
    </button>
  </section>
);

it('lists problems below their button until a click elsewhere', () => {
  const { button, elsewhere, popover } = problems();
  expect(button.getAttribute('aria-expanded')).toBe('false');
  click(button);
  expect(button.getAttribute('aria-expanded')).toBe('true');
  expect(popover()?.getAttribute('aria-label')).toBe('Problems in the file');
  expect(popover()?.textContent).toContain('a record of 16 bytes has 4');
  pointerDown(popover()!);
  expect(popover()).not.toBeNull();
  pointerDown(elsewhere);
  expect(popover()).toBeNull();
});

it('goes on to list problems after there were none', () => {
  const { button, popover, trace } = problems();
  click(button);
  act(() => {
    trace.progress.value = { problems: [] };
  });
  expect(popover()).toBeNull();
  act(() => {
    trace.progress.value = { problems: [PROBLEM] };
  });
  expect(popover()?.textContent).toContain('a record of 16 bytes has 4');
});

it('closes the problems by Escape, which nothing else hears', () => {
  const { button, popover } = problems();
  click(button);
  button.focus();
  const heard: string[] = [];
  const hear = ({ key }: KeyboardEvent) => heard.push(key);
  window.addEventListener('keydown', hear);
  press('Escape');
  expect(popover()).toBeNull();
  expect(heard).toEqual([]);
  press('Escape');
  expect(heard).toEqual(['Escape']);
  window.removeEventListener('keydown', hear);
});

it('loads a menu with the first click, and closes it by Escape with the focus on its button', async () => {
  let loads = 0;
  const { button, elsewhere, popover } = menuButton(async () => {
    loads += 1;
    return Menu;
  });
  onTestFinished(returnFocus(() => null));
  expect(button.getAttribute('aria-label')).toBe('Notes');
  button.focus();
  click(button);
  await settle();
  expect(button.getAttribute('aria-expanded')).toBe('true');
  popover()!.querySelector('button')!.focus();
  press('Escape');
  expect(popover()).toBeNull();
  await settle();
  expect(document.activeElement).toBe(button);
  click(button);
  pointerDown(popover()!);
  expect(popover()).not.toBeNull();
  pointerDown(elsewhere);
  expect(popover()).toBeNull();
  click(button);
  click(popover()!.querySelector('button'));
  expect(popover()).toBeNull();
  expect(loads).toBe(1);
});

it('says why a menu does not come, and tries again with the next click', async () => {
  let loads = 0;
  const { button, popover } = menuButton(async () => {
    loads += 1;
    if (loads === 1) throw new Error('offline');
    return Menu;
  });
  click(button);
  await settle();
  expect(popover()?.getAttribute('role')).toBe('alert');
  expect(popover()?.textContent).toBe('The notes could not be loaded.');
  click(button);
  click(button);
  await settle();
  expect(popover()?.getAttribute('role')).toBe('dialog');
});
