import { computed, type ReadonlySignal, type Signal, signal, untracked } from '@preact/signals';
import { formatCounted, shortened } from '../base/format.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import { watch } from '../base/watch.ts';
import { perTrace } from '../trace/per_trace.ts';
import { wordsOfChoices } from './choice_words.ts';
import type { Note } from './notes/notes.ts';
import type { OpenTrace } from './open_trace.ts';

/** Acts that can be taken back. */
const MOST_ACTS = 100;
/** Milliseconds between two keys of one text, or two changes of one note, at most. */
const SOON_MS = 2000;
/** Characters of a name in the words of an act. */
const LONGEST_NAME = 40;

/** What the user has done to the view of a trace, and can take back. */
export interface Undo {
  /** What {@link Undo.undo} takes back, in words such as `hide thread 7`; '' if there is nothing. */
  readonly undoable: ReadonlySignal<string>;
  /** What {@link Undo.redo} does again; '' if there is nothing. */
  readonly redoable: ReadonlySignal<string>;
  /** Takes back the latest act. */
  undo(): void;
  /** Does again what was taken back last. */
  redo(): void;
  /** Forgets all acts. What has changed until now was not done by the user. */
  forget(): void;
  readonly dispose: Dispose;
}

/** What undo needs of an open trace. */
export type Undoable = Pick<OpenTrace, 'notes' | 'memory'> & {
  readonly timeline: { readonly arrangement: OpenTrace['timeline']['arrangement'] };
  readonly statistics: Pick<OpenTrace['statistics'], 'range' | 'whose' | 'functionFilter' | 'highlighted' | 'choices'>;
  readonly events: Pick<OpenTrace['events'], 'filter' | 'isByValues' | 'valuesText'>;
  readonly callPaths: Pick<OpenTrace['callPaths'], 'changes'>;
  readonly trace: { readonly names: Pick<OpenTrace['trace']['names'], 'of'> };
};

/** A part of the state that acts change. */
interface Part<Value> {
  readonly now: ReadonlySignal<Value>;
  /** Replaces a value by another. */
  readonly put: (to: Value, from: Value) => void;
  readonly words: (before: Value, after: Value) => string;
  /** Whether a change continues the latest act, which began with `first`, this many milliseconds after its end. */
  readonly joins: (before: Value, after: Value, first: Value, ms: number) => boolean;
}

/** A change of one part. Its values are those of the part. */
interface Change {
  readonly part: Part<unknown>;
  readonly before: unknown;
  readonly after: unknown;
}

/** What changed at once. */
interface Act {
  readonly changes: readonly Change[];
  /** `performance.now()` of its last change. */
  readonly at: number;
}

/** The acts of an open trace. They are recorded from the first call on. */
export const undoOf = perTrace<OpenTrace, Undo>(createUndo);

/** No acts yet. What changes from now on is an act, unless it comes from what is remembered of the file. */
export function createUndo(open: Undoable): Undo {
  const scope = createScope();
  const parts = partsOf(open);
  const done = signal<readonly Act[]>([]);
  const undone = signal<readonly Act[]>([]);
  /** The values of the parts when the last act ended. */
  const known = new Map<Part<unknown>, unknown>();
  /** A change waits to be recorded. */
  let waits = false;
  /** What changes now comes from elsewhere. */
  let isForeign = false;
  let disposed = false;

  const rebase = () => {
    for (const part of parts) known.set(part, part.now.peek());
  };
  const record = () => {
    waits = false;
    const changes = parts.flatMap((part): Change[] => {
      const [before, after] = [known.get(part), part.now.peek()];
      return before === after || part.words(before, after) === '' ? [] : [{ part, before, after }];
    });
    rebase();
    const foreign = isForeign;
    isForeign = false;
    if (foreign || changes.length === 0) return;
    const now: Act = { changes, at: performance.now() };
    const last = done.peek().at(-1);
    const joined = last && undone.peek().length === 0 ? joinedTo(last, now) : null;
    undone.value = [];
    if (!joined) done.value = [...done.peek(), now].slice(-MOST_ACTS);
    else done.value = [...done.peek().slice(0, -1), ...(joined.changes.length > 0 ? [joined] : [])];
  };
  const notice = () => {
    if (waits) return;
    waits = true;
    // One act may change several parts.
    queueMicrotask(() => {
      if (!disposed) record();
    });
  };
  /** Moves the latest act of one list to the other. */
  const move = (from: Signal<readonly Act[]>, to: Signal<readonly Act[]>, apply: (change: Change) => void) => {
    // What has just changed comes first.
    if (waits) record();
    const act = from.peek().at(-1);
    if (!act) return;
    from.value = from.peek().slice(0, -1);
    to.value = [...to.peek(), act];
    untracked(() => {
      for (const change of act.changes) apply(change);
    });
    rebase();
  };

  rebase();
  scope.add(
    watch(
      parts.map(({ now }) => now),
      notice,
    ),
  );
  scope.add(
    watch([open.memory.parts], () => {
      // What the user changes is stored after that. What changes after the store comes from there.
      if (!waits) isForeign = true;
      notice();
    }),
  );
  scope.add(() => {
    disposed = true;
  });
  const wordsOf = (act: Act | undefined) =>
    (act?.changes ?? []).map(({ part, before, after }) => part.words(before, after)).join(' and ');
  return {
    undoable: computed(() => wordsOf(done.value.at(-1))),
    redoable: computed(() => wordsOf(undone.value.at(-1))),
    undo: () => move(done, undone, ({ part, before, after }) => part.put(before, after)),
    redo: () => move(undone, done, ({ part, before, after }) => part.put(after, before)),
    forget: () => {
      done.value = [];
      undone.value = [];
      waits = false;
      rebase();
    },
    dispose: scope.dispose,
  };
}

/** Two acts as one, without changes if the second has taken back the first; null if they are two. */
function joinedTo(last: Act, now: Act): Act | null {
  const [first, next] = [last.changes[0], now.changes[0]];
  if (!first || !next || last.changes.length > 1 || now.changes.length > 1 || first.part !== next.part) return null;
  const { part } = next;
  if (!part.joins(next.before, next.after, first.before, now.at - last.at)) return null;
  const isSame = first.before === next.after || part.words(first.before, next.after) === '';
  return { changes: isSame ? [] : [{ part, before: first.before, after: next.after }], at: now.at };
}

/** A part with its values' type forgotten: the values that it gets are its own. */
function part<Value>(own: Part<Value>): Part<unknown> {
  return own as Part<unknown>;
}

function partsOf({ timeline, statistics, events, callPaths, notes, trace }: Undoable): readonly Part<unknown>[] {
  const { arrangement } = timeline;
  const never = () => false;
  const nameOf = (id: number) => shortened(trace.names.of(id), LONGEST_NAME);
  const setting = <Value>(now: Signal<Value>, words: Part<Value>['words'], joins: Part<Value>['joins'] = never) =>
    part<Value>({
      now,
      put: (to) => {
        now.value = to;
      },
      words,
      joins,
    });
  const text = (now: Signal<string>, words: string) =>
    setting(
      now,
      () => words,
      (_before, _after, _first, ms) => ms < SOON_MS,
    );
  return [
    setting(arrangement.choices, (before, after) =>
      wordsOfChoices(before, after, (key) => shortened(arrangement.ofKey(key)?.name ?? 'a track', LONGEST_NAME)),
    ),
    text(arrangement.filter, 'filter tracks'),
    setting(statistics.range, (before, after) => {
      if (before && after) return before.from === after.from && before.to === after.to ? '' : 'change range';
      return before ? 'clear range' : 'set range';
    }),
    setting(statistics.whose, (_, after) => {
      if (after === 'all') return 'show all threads in the panels';
      const name = statistics.choices.peek().find(({ id }) => id === after)?.name ?? 'one thread';
      return `show only ${shortened(name, LONGEST_NAME)} in the panels`;
    }),
    text(statistics.functionFilter, 'filter functions'),
    text(events.filter.text, 'filter the list'),
    text(events.valuesText, 'filter the list'),
    setting(events.isByValues, (_, after) => (after ? 'filter by values' : 'filter by names')),
    setting(callPaths.changes, () => 'change call paths'),
    setting(
      statistics.highlighted,
      (before, after) => (after >= 0 ? `highlight ${nameOf(after)}` : before >= 0 ? 'clear highlight' : ''),
      // Walking through a table highlights each of its rows.
      () => true,
    ),
    part<readonly Note[]>({
      now: notes.list,
      put: (to, from) => {
        const { added, removed, changed } = differenceOf(from, to);
        const ids = new Set([...removed, ...changed].map(({ id }) => id));
        notes.replace(ids, [...added, ...changed]);
      },
      words: (before, after) => {
        const { added, removed, changed } = differenceOf(before, after);
        const noun = (list: readonly Note[]) => (list.length === 1 ? 'note' : formatCounted(list.length, 'note'));
        return [
          added.length > 0 && `add ${noun(added)}`,
          removed.length > 0 && `delete ${noun(removed)}`,
          changed.length > 0 && `change ${noun(changed)}`,
        ]
          .filter(Boolean)
          .join(' and ');
      },
      joins: (before, after, first, ms) => {
        const { added, removed, changed } = differenceOf(before, after);
        const [note] = [...changed, ...removed];
        if (!note || changed.length + removed.length > 1 || added.length > 0) return false;
        const began = differenceOf(first, before);
        // A new note that is cancelled has never been there.
        if (removed.length > 0) return began.added.length === 1 && began.added[0]!.id === note.id;
        const touched = [...began.added, ...began.removed, ...began.changed];
        const isSame = touched.every(({ id }) => id === note.id);
        return isSame && (ms < SOON_MS || notes.edited.peek()?.id === note.id);
      },
    }),
  ];
}

/** What has to be added to notes, removed from them and changed, to make them others. */
function differenceOf(from: readonly Note[], to: readonly Note[]) {
  const before = new Map(from.map((note) => [note.id, note]));
  const after = new Set(to.map(({ id }) => id));
  return {
    added: to.filter(({ id }) => !before.has(id)),
    removed: from.filter(({ id }) => !after.has(id)),
    changed: to.filter((note) => {
      const old = before.get(note.id);
      return old !== undefined && (old.text !== note.text || old.colour !== note.colour);
    }),
  };
}
