import { expect, it } from 'vitest';
import { startReader } from './loading.ts';

it('loads the reader at once, and tries once more if that failed', async () => {
  let attempts = 0;
  const failing = (failures: number) => async () => {
    attempts += 1;
    if (attempts <= failures) throw new TypeError('Failed to fetch');
  };
  const loaded = startReader(failing(0));
  expect(attempts).toBe(1);
  await loaded();
  await loaded();
  expect(attempts).toBe(1);

  attempts = 0;
  await startReader(failing(1))();
  expect(attempts).toBe(2);

  attempts = 0;
  await expect(startReader(failing(2))()).rejects.toMatchObject({
    kind: 'crashed',
    sentence: expect.stringContaining('could not be loaded'),
  });
});
