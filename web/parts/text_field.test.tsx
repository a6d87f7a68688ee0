import { expect, it } from 'vitest';
import { mount, remount } from './dom.fixture.ts';
import { TextField } from './text_field.tsx';

it('follows its text, and keeps the focus when that changes', () => {
  const host = mount(<TextField text="0x10" placeholder="" of="step" />);
  const field = () => {
    const [input] = host.getElementsByTagName('input');
    if (!input) throw new Error('There is a field.');
    return input;
  };
  const first = field();
  first.focus();
  first.value = '0x20';
  remount(host, <TextField text="0x0020" placeholder="" of="address" />);
  expect([field() === first, document.activeElement === first, first.value]).toEqual([true, true, '0x0020']);
  first.value = 'typed';
  remount(host, <TextField text="0x0020" placeholder="" of="stack" />);
  expect(first.value).toBe('0x0020');
});
