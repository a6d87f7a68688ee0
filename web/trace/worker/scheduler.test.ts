import { beforeEach, describe, expect, it, vi } from 'vitest';
import { nextTask } from '../../base/next_task.fixture.ts';
import { createScheduler, type Rank, rankOf, type Scheduler } from './scheduler.ts';

let log: string[];
let scheduler: Scheduler;

beforeEach(() => {
  log = [];
  scheduler = createScheduler();
});

/** Adds a task that takes a number of turns. */
function add(rank: Rank, name: string, turns: number): () => void {
  let left = turns;
  return scheduler.add(rank, () => {
    log.push(name);
    left -= 1;
    return left > 0;
  });
}

/** Waits until the scheduler is idle: a task of the lowest rank comes last, as often as the others go on. */
async function rest(): Promise<void> {
  for (let before = -1; before !== log.length; ) {
    before = log.length;
    await new Promise<void>((resolve) => {
      scheduler.add('rest', () => {
        resolve();
        return false;
      });
    });
  }
}

describe('the scheduler', () => {
  it('runs the picture before details before statistics before the rest', async () => {
    add('rest', 'rest', 2);
    add('statistics', 'statistics', 2);
    add('details', 'details', 1);
    add('picture', 'picture', 1);
    await rest();
    expect(log).toEqual(['picture', 'details', 'statistics', 'statistics', 'rest', 'rest']);
  });
  it('lets tasks of one rank take turns', async () => {
    add('rest', 'a', 3);
    add('rest', 'b', 1);
    add('rest', 'c', 2);
    await rest();
    expect(log).toEqual(['a', 'b', 'c', 'a', 'c', 'a']);
  });
  it('interrupts a task for one of a higher rank', async () => {
    scheduler.add('rest', () => {
      log.push('rest');
      if (log.length === 2) add('picture', 'picture', 1);
      return log.length < 5;
    });
    await rest();
    expect(log).toEqual(['rest', 'rest', 'picture', 'rest', 'rest']);
  });
  it('does not run a task that was removed, even by its own turn', async () => {
    const remove = add('rest', 'a', 3);
    remove();
    const own = scheduler.add('rest', () => {
      log.push('b');
      own();
      return true;
    });
    await rest();
    expect(log).toEqual(['b']);
  });
  it('posts a message for each turn, so that others come in between, and none while it has nothing to do', async () => {
    const posted: string[] = [];
    const post = MessagePort.prototype.postMessage;
    MessagePort.prototype.postMessage = function (this: MessagePort, ...given: Parameters<typeof post>) {
      // The runner of tests talks through a port of its own; only the scheduler posts nothing at all.
      if (given[0] === null) posted.push('message');
      return post.apply(this, given);
    } as typeof post;
    try {
      add('rest', 'a', 2);
      await vi.waitFor(() => expect(log).toEqual(['a', 'a']));
      await nextTask();
    } finally {
      MessagePort.prototype.postMessage = post;
    }
    expect([log.length, posted.length]).toEqual([2, 2]);
  });
  it('ranks statistics before all other jobs', () => {
    expect([rankOf('statistics'), rankOf('percentiles')]).toEqual(['statistics', 'rest']);
  });
});
