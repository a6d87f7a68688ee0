import { expect, it } from 'vitest';
import { nextTask } from '../../base/next_task.fixture.ts';
import { createGrowth } from './growth.ts';
import { type Input, inputOf } from './reading.ts';

const blob = (text: string) => new Blob([text]);

/** What comes out of a file that grows, and how often all of it was there. */
function growing(first: Blob, open: (file: Blob) => Input = inputOf) {
  let rests = 0;
  const host = { inputOf: open, rest: () => (rests += 1), isHeld: () => false };
  const growth = createGrowth(first, host);
  const source = growth.input.open(0);
  let text = '';
  const all = (async () => {
    for (;;) {
      const bytes = await source.take(3);
      if (!bytes) return text;
      text += new TextDecoder().decode(bytes);
      source.prefetch(3);
    }
  })();
  const until = async (wanted: string) => {
    while (text !== wanted) await nextTask();
  };
  return { growth, all, until, rests: () => rests };
}

it('waits at the end until there is more, and ends when told', async () => {
  const { growth, all, until, rests } = growing(blob('abcd'));
  await until('abcd');
  growth.grow(blob('abcdefgh'));
  await until('abcdefgh');
  // A write that adds nothing.
  growth.grow(blob('abcdefgh'));
  await nextTask();
  growth.grow(blob('abcdefghi'));
  growth.grow(null);
  expect(await all).toBe('abcdefghi');
  expect(rests()).toBeGreaterThanOrEqual(2);
  expect(growth.size).toBe(9);
});

it('goes on with the next version of a file that the browser does not read any more', async () => {
  const stale = blob('abcd');
  const open = (file: Blob): Input => {
    const input = inputOf(file);
    if (file !== stale) return input;
    const refuse = () => Promise.reject(new DOMException('', 'NotReadableError'));
    return { ...input, open: (at) => ({ ...input.open(at), position: at, take: refuse }) };
  };
  const { growth, all, until } = growing(stale, open);
  await nextTask();
  growth.grow(blob('abcdef'));
  await until('abcdef');
  growth.grow(null);
  expect(await all).toBe('abcdef');
});

it('holds while something goes through the trace', async () => {
  let isHeld = true;
  const growth = createGrowth(blob('a'), { inputOf, rest: () => undefined, isHeld: () => isHeld });
  let isOver = false;
  const held = growth.hold()?.then(() => {
    isOver = true;
  });
  await nextTask();
  expect(isOver).toBe(false);
  isHeld = false;
  await held;
  expect(growth.hold()).toBeNull();
});
