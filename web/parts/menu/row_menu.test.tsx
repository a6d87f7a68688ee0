import { expect, it } from 'vitest';
import { mount, send } from '../dom.fixture.ts';
import { MenuContext, type MenuOfCommands, type MenuRequest } from './request.ts';
import { useDrawingMenu, useRowMenu } from './row_menu.ts';

const KEY = { bubbles: true, cancelable: true, button: -1 };
const POINTER = { bubbles: true, cancelable: true, button: 2, clientX: 30, clientY: 40 };

function Registers() {
  const onMenu = useRowMenu((row) => ({
    named: { id: -1, text: ['rax', 'rbx'][row] ?? '', isCalled: false },
    show: null,
    own: [{ id: 'memory', title: 'Memory at this address', run: () => undefined }],
  }));
  return (
    <ul onContextMenu={onMenu}>
      {['rax', 'rbx'].map((name, i) => (
        <li key={name} data-row={i}>
          <button type="button">
            <span data-cell>{name}</span> = <span data-cell>0x{i}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Drawing() {
  const onMenu = useDrawingMenu(({ target }, byKey) => {
    const id = byKey ? 1 : Number((target as Element).getAttribute('data-name') ?? -1);
    return id < 0 ? null : { named: { id, text: `function ${id}`, isCalled: true }, show: null };
  });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a drawing for the test.
    <div class="drawing" onContextMenu={onMenu}>
      <p data-name="7" />
      <hr />
    </div>
  );
}

function page() {
  const requests: MenuRequest[] = [];
  const show = (request: MenuRequest) => {
    requests.push(request);
    return true;
  };
  const host = mount(
    <MenuContext.Provider value={show}>
      <Registers />
      <Drawing />
    </MenuContext.Provider>,
  );
  const last = () => requests.at(-1) as MenuOfCommands;
  return { host, requests, last };
}

it('a row of a list has a menu, by key that of the focus', () => {
  const { host, last } = page();
  const buttons = host.querySelectorAll('button');
  expect(send(buttons[1]!, new MouseEvent('contextmenu', POINTER))).toBe(false);
  expect(last()).toMatchObject({ label: 'rbx', at: { left: 30, top: 40 }, byKey: false });
  expect(last().row).toMatchObject({ cells: ['rbx', '0x1'], own: [{ id: 'memory' }] });
  expect(send(buttons[0]!, new MouseEvent('contextmenu', KEY))).toBe(false);
  expect(last()).toMatchObject({ label: 'rax', byKey: true });
});

it('an element of a drawing has a menu, the room between them that of the browser', () => {
  const { host, requests, last } = page();
  expect(send(host.querySelector('[data-name]')!, new MouseEvent('contextmenu', POINTER))).toBe(false);
  expect(last().row).toMatchObject({ named: { id: 7 }, cells: [] });
  expect(send(host.querySelector('.drawing')!, new MouseEvent('contextmenu', KEY))).toBe(false);
  expect(last().label).toBe('function 1');
  expect(send(host.querySelector('hr')!, new MouseEvent('contextmenu', POINTER))).toBe(true);
  expect(requests.length).toBe(2);
});
