import { expect, it } from 'vitest';
import { kindsFor } from './findings.ts';

it('says that errors are not known of a program that never asks for them', () => {
  const errors = (...functions: string[]) => kindsFor(functions).find(({ id }) => id === 'error');
  expect(errors('glDrawArrays', 'glGetError')?.title).toBe('Errors');
  expect(errors('glDrawArrays')).toMatchObject({
    title: 'Errors, never asked for',
    says: expect.stringContaining('never calls glGetError'),
  });
});
