import type { JobKind } from '../../base/job_protocol.ts';

/**
 * What takes turns in a trace's worker, the first one first. The picture follows every movement of the pointer. Details
 * follow a click. Statistics fill the panel in front; everything else was asked for in the knowledge that it takes time. What was not
 * asked for comes last.
 */
const ORDER = ['picture', 'details', 'statistics', 'rest', 'background'] as const;

/** A place in the order of turns. */
export type Rank = (typeof ORDER)[number];

/** The place of a kind of job. */
export function rankOf(kind: JobKind): Rank {
  return kind === 'statistics' ? 'statistics' : 'rest';
}

/** Decides what the worker does next. */
export interface Scheduler {
  /**
   * Adds a task. `turn` is called until it returns false; the worker handles waiting messages before each call. A task
   * of a lower rank waits for all tasks of higher ranks, and tasks of one rank take turns. Returns a function that
   * removes the task.
   */
  add(rank: Rank, turn: () => boolean): () => void;
  /** Resolves when it is the turn of something of this rank. */
  turn(rank: Rank): Promise<void>;
}

interface Task {
  readonly turn: () => boolean;
  removed: boolean;
}

/** A scheduler without tasks. It posts no messages while it has none. */
export function createScheduler(): Scheduler {
  // A message to the worker itself waits for the messages that are already queued. A timer would cost 4 ms.
  const later = new MessageChannel();
  const queues: readonly Task[][] = ORDER.map(() => []);
  let scheduled = false;

  const schedule = () => {
    if (scheduled || queues.every((queue) => queue.length === 0)) return;
    scheduled = true;
    later.port2.postMessage(null);
  };
  later.port1.onmessage = () => {
    scheduled = false;
    const queue = queues.find(({ length }) => length > 0);
    const task = queue?.shift();
    // A turn may remove its own task.
    if (task?.turn() && !task.removed) queue?.push(task);
    schedule();
  };
  const add: Scheduler['add'] = (rank, turn) => {
    const queue = queues[ORDER.indexOf(rank)]!;
    const task: Task = { turn, removed: false };
    queue.push(task);
    schedule();
    return () => {
      task.removed = true;
      const at = queue.indexOf(task);
      if (at >= 0) queue.splice(at, 1);
    };
  };
  return {
    add,
    turn: (rank) =>
      new Promise((resolve) => {
        add(rank, () => {
          resolve();
          return false;
        });
      }),
  };
}
