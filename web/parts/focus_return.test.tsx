import { signal } from '@preact/signals';
import { expect, it, onTestFinished } from 'vitest';
import { Dialog } from './dialog.tsx';
import { click, mount, pointerDown, press, settle } from './dom.fixture.ts';
import { returnFocus } from './focus_return.ts';
import { takeFocus } from './take_focus.ts';

/** A page with two buttons and a field that Escape and a click close, if it is shown. */
function page() {
  const shown = signal(false);
  const log: string[] = [];
  const host = mount(<Parts shown={shown} />);
  const home = host.querySelector<HTMLElement>('#home')!;
  onTestFinished(returnFocus(() => home));
  const open = async () => {
    shown.value = true;
    await settle();
    host.querySelector('input')!.focus();
  };
  return { shown, log, host, home, open, first: host.querySelector('button')! };
}

function Parts({ shown }: { shown: { value: boolean } }) {
  const close = () => {
    shown.value = false;
  };
  return (
    <>
      <p id="home" tabIndex={-1} />
      <button type="button">first</button>
      <p>text</p>
      {shown.value && (
        <>
          <input onKeyDown={({ key }) => key === 'Escape' && close()} />
          <button type="button" class="close" onClick={close}>
            ×
          </button>
        </>
      )}
    </>
  );
}

it('returns to where the focus was, when a key or a click closes what has it', async () => {
  const { first, open, host } = page();
  first.focus();
  await open();
  press('Escape');
  await settle();
  expect(document.activeElement).toBe(first);
  await open();
  const close = host.querySelector<HTMLElement>('.close')!;
  close.focus();
  click(close);
  await settle();
  expect(document.activeElement).toBe(first);
});

it('lets Tab lead out of the page', async () => {
  const { first } = page();
  first.focus();
  press('Tab');
  first.blur();
  await settle();
  expect(document.activeElement).toBe(document.body);
});

it('leaves the focus to what comes late in place of what was closed', async () => {
  const { first, open, home } = page();
  first.focus();
  await open();
  press('Escape');
  await settle();
  expect(document.activeElement).toBe(first);
  takeFocus(home);
  expect(document.activeElement).toBe(home);
  // Where the user has gone, nothing takes the focus.
  first.focus();
  press('x');
  takeFocus(home);
  expect(document.activeElement).toBe(first);
});

it('returns to a button whose menu is closed before it had the focus', async () => {
  const { first, open, host } = page();
  const other = mount(<input />).querySelector('input')!;
  other.focus();
  first.focus();
  await open();
  first.focus();
  // A key that is pressed at once finds the focus on the button still.
  first.addEventListener('keydown', () => host.querySelector('input')!.focus(), { once: true });
  press('F9');
  press('Escape', host.querySelector('input'));
  await settle();
  expect(document.activeElement).toBe(first);
});

it('returns from a field that gives it up by a key', async () => {
  const { first, open, host } = page();
  first.focus();
  await open();
  const field = host.querySelector('input')!;
  field.addEventListener('keydown', () => field.blur());
  press('F9');
  await settle();
  expect(document.activeElement).toBe(first);
});

it('goes home when it was nowhere before, or when all that had it is gone', async () => {
  const { first, open, home, host } = page();
  await open();
  press('Escape');
  await settle();
  expect(document.activeElement).toBe(home);
  first.focus();
  // The user clicks a text.
  first.blur();
  pointerDown(host);
  await settle();
  await open();
  press('Escape');
  await settle();
  expect(document.activeElement).toBe(home);
});

it('stays where it is while nothing is closed', async () => {
  const { first } = page();
  first.focus();
  press('ArrowDown');
  await settle();
  expect(document.activeElement).toBe(first);
  first.blur();
  press('ArrowDown');
  await settle();
  expect(document.activeElement).toBe(document.body);
});

it('returns from a dialog that its own button closes', async () => {
  const { first } = page();
  const shown = signal(true);
  const shut = () => {
    shown.value = false;
  };
  const Sheet = () =>
    shown.value ? (
      <Dialog class="keys" title="title" close={shut}>
        <h2 id="title">Keys</h2>
        <button type="button" class="close" onClick={shut}>
          Close
        </button>
      </Dialog>
    ) : null;
  first.focus();
  const host = mount(<Sheet />);
  const close = host.querySelector<HTMLElement>('.close')!;
  close.focus();
  click(close);
  await settle();
  expect(document.activeElement).toBe(first);
});
