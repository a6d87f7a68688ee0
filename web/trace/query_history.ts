import { type ReadonlySignal, signal } from '@preact/signals';

/** Queries that this browser remembers of one format and language. */
export interface QueryHistory {
  /** In the order in which they were saved. */
  readonly saved: ReadonlySignal<readonly string[]>;
  /** The latest first. */
  readonly recent: ReadonlySignal<readonly string[]>;
  /** Remembers a query that was asked. */
  add(query: string): void;
  /** Saves a query, or forgets that it is saved. */
  toggle(query: string): void;
  /** Forgets the recent queries. */
  clear(): void;
}

/** The part of `Storage` that is used. */
type Items = Pick<Storage, 'getItem' | 'setItem'>;

const PREFIX = 'unspool:queries:';
/** Recent queries, and saved ones. */
const MOST_RECENT = 30;
const MOST_SAVED = 200;
/** Characters of a query that is remembered. */
const LONGEST = 20_000;

/**
 * The queries remembered under a key, such as a format. `storage` may be missing or refuse: then they last as long as the page.
 * Other tabs may have changed them, so they are read again before each change.
 */
export function createQueryHistory(storage: () => Items, key: string): QueryHistory {
  const saved = signal<readonly string[]>([]);
  const recent = signal<readonly string[]>([]);
  let isStored = true;
  const read = () => {
    if (!isStored) return;
    try {
      const stored: unknown = JSON.parse(storage().getItem(PREFIX + key) ?? '{}');
      const record = typeof stored === 'object' && stored !== null ? (stored as Record<string, unknown>) : {};
      saved.value = texts(record['saved']);
      recent.value = texts(record['recent']);
    } catch {
      isStored = false;
    }
  };
  const write = () => {
    try {
      storage().setItem(PREFIX + key, JSON.stringify({ saved: saved.peek(), recent: recent.peek() }));
    } catch {
      isStored = false;
    }
  };
  read();
  return {
    saved,
    recent,
    add: (query) => {
      const text = query.trim();
      if (text === '' || text.length > LONGEST) return;
      read();
      recent.value = [text, ...recent.peek().filter((other) => other !== text)].slice(0, MOST_RECENT);
      write();
    },
    toggle: (query) => {
      const text = query.trim();
      if (text === '' || text.length > LONGEST) return;
      read();
      const others = saved.peek().filter((other) => other !== text);
      saved.value = others.length < saved.peek().length ? others : [...others, text].slice(-MOST_SAVED);
      write();
    },
    clear: () => {
      read();
      recent.value = [];
      write();
    },
  };
}

/** What a query is called in a list: its comment if it begins with one, or else itself in one line. */
export function titleOf(query: string): string {
  const comment = /^\s*--\s*(\S[^\n]*)/.exec(query)?.[1];
  return comment ?? query.replace(/\s+/g, ' ').trim();
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text): text is string => typeof text === 'string') : [];
}
