import { expect, it } from 'vitest';
import { createScope } from './scope.ts';

it('releases the last resource first, each once, and late ones at once', () => {
  const log: string[] = [];
  const scope = createScope();
  scope.add(() => log.push('first'));
  scope.add(() => log.push('second'));
  scope.dispose();
  scope.dispose();
  scope.add(() => log.push('late'));
  expect(log).toEqual(['second', 'first', 'late']);
});

it('removes listeners', () => {
  const scope = createScope();
  const target = new EventTarget();
  let heard = 0;
  scope.listen(target, 'ping', () => {
    heard += 1;
  });
  target.dispatchEvent(new Event('ping'));
  scope.dispose();
  target.dispatchEvent(new Event('ping'));
  expect(heard).toBe(1);
});
