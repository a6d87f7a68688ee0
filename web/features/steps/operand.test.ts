import { expect, it } from 'vitest';
import type { NamedField } from '../../page/page.ts';
import { operandLink } from './operand.ts';

const link = (...path: string[]) => operandLink({ path } as unknown as NamedField);

it('the label of an operand leads to the steps that read or write it', () => {
  expect(link('Read', 'RAX')).toEqual({
    place: { to: 'operand', name: 'RAX', written: false, shows: 'accesses' },
    title: 'Steps that read or write RAX',
    by: 'label',
  });
  expect(link('Written', '[0x7ffe10]')?.place).toMatchObject({ name: '[0x7ffe10]', written: true });
  // The value of an operand with further facts, and what is not an operand.
  expect([link('Read', 'RAX', 'Value'), link('Arguments', 'mode'), link('Address')]).toEqual([null, null, null]);
});
