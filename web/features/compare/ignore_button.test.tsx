import { signal } from '@preact/signals';
import { act } from 'preact/test-utils';
import { expect, test } from 'vitest';
import { click, mount } from '../../parts/dom.fixture.ts';
import { IgnoreButton } from './ignore_button.tsx';

const LEFT_OUT = { threads: [0, 0], records: [3, 4], values: [0, 0] } as const;

function shown(rules: readonly string[], offered: Parameters<typeof IgnoreButton>[0]['offered']) {
  const of = signal(rules);
  const host = mount(<IgnoreButton rules={of} offered={offered} leftOut={LEFT_OUT} noun="call" />);
  const field = (label: string) =>
    [...host.querySelectorAll('label')].find((it) => it.textContent?.startsWith(label))?.querySelector('input') ?? null;
  return { of, host, field, text: () => (host.textContent ?? '').replaceAll('\u00a0', ' ') };
}

test('rules are checked and typed, and stay in the same control', () => {
  const { of, host, field, text } = shown([], ['addresses', 'times', 'functions']);
  expect(text()).toBe('Ignore…');
  click(host.querySelector('button'));
  expect(field('Arguments')).toBeNull();
  click(field('Addresses'));
  expect(of.value).toEqual(['addresses']);
  const functions = field('Functions')!;
  act(() => {
    functions.value = 'glGet*, main';
    functions.dispatchEvent(new Event('change', { bubbles: true }));
  });
  expect(of.value).toEqual(['addresses', 'name:glGet*', 'name:main']);
  expect(text()).toContain('Ignored: addresses, glGet*, main');
  expect(text()).toContain('3 + 4 calls left out');
  click(field('Addresses'));
  expect(of.value).toEqual(['name:glGet*', 'name:main']);
});

test('what is being typed stays when other rules change', () => {
  const { of, host, field } = shown([], ['addresses', 'functions', 'arguments']);
  click(host.querySelector('button'));
  const type = (text: string, event: string) =>
    act(() => {
      field('Functions')!.value = text;
      field('Functions')!.dispatchEvent(new Event(event, { bubbles: true }));
    });
  type('glVer', 'input');
  click(field('Addresses'));
  act(() => {
    of.value = [...of.value, 'arg.ret'];
  });
  expect([field('Functions')!.value, field('Arguments')!.value]).toEqual(['glVer', 'ret']);
  type('glVertex*', 'change');
  expect(of.value).toEqual(['addresses', 'arg.ret', 'name:glVertex*']);
  expect(field('Functions')!.value).toBe('glVertex*');
});

test('what is no rule is not shown as one', () => {
  expect(shown(['nonsense'], ['threads']).text()).toBe('Ignore…');
});
