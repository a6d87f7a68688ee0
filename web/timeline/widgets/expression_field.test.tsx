import { signal } from '@preact/signals';
import { act } from 'preact/test-utils';
import { expect, it } from 'vitest';
import { mount, press, send } from '../../parts/dom.fixture.ts';
import type { OpenTrace } from '../open_trace.ts';
import { ExpressionField } from './expression_field.tsx';

/** The field of a panel over a trace of calls. */
function setUp(placeholder = 'Filter, such as insn:call') {
  const text = signal('');
  const log: string[] = [];
  const open = {
    trace: {
      names: { text: ['main', 'mainly'] },
      tracks: signal(new Map()),
      info: signal({ clock: { kind: 'ordinal', unit: 'step' }, offers: ['disassembly'] }),
    },
    events: { fieldsSeen: () => [] },
  } as unknown as OpenTrace;
  const host = mount(
    <ExpressionField
      open={open}
      id="filter"
      label="Filter"
      placeholder={placeholder}
      text={text}
      wrong={false}
      onEnter={(back) => log.push(back ? 'back' : 'enter')}
      onEscape={() => log.push('escape')}
    />,
  );
  const field = host.querySelector('input')!;
  const type = (typed: string) => {
    field.value = typed;
    send(field, new Event('input', { bubbles: true }));
  };
  const rows = () => [...host.querySelectorAll('.combo-title')].map(({ textContent }) => textContent);
  return { field, host, text, log, type, rows };
}

it('shows the keys of the format in an empty field', () => {
  const { field, rows } = setUp();
  act(() => field.focus());
  expect(rows()).toEqual(expect.arrayContaining(['name:', 'insn:']));
  expect(rows()).not.toContain('dur>');
});

it('takes a completion only once it is marked', () => {
  const { field, text, type, log, rows } = setUp();
  type('na');
  press('Enter', field);
  expect([text.value, log]).toEqual(['na', ['enter']]);
  type('nam');
  expect(field.getAttribute('aria-activedescendant')).toBeNull();
  press('ArrowDown', field);
  expect(field.getAttribute('aria-activedescendant')).toBe('filter-option-0');
  press('Tab', field);
  expect(text.value).toBe('name:');
  type('name:mai');
  expect(rows()).toEqual(['main', 'mainly']);
  press('ArrowUp', field);
  press('Enter', field);
  expect(text.value).toBe('name:mainly ');
  press('Enter', field, { shiftKey: true });
  expect(log).toEqual(['enter', 'back']);
});

it('closes its list before it is left', () => {
  const { field, type, log, host } = setUp();
  type('na');
  press('Escape', field);
  expect([host.querySelector('[role=listbox]'), log]).toEqual([null, []]);
  press('Escape', field);
  expect(log).toEqual(['escape']);
});

it('is as wide as its example', () => {
  const { field, host } = setUp('Filter, such as dur>1ms');
  expect(field.size).toBe('Filter, such as dur>1ms'.length);
  expect(host.querySelector<HTMLElement>('.expression')!.style.minWidth).toContain(`${field.size + 1}ch`);
});
