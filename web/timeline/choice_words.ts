import type { StoredSwitch, TrackChoices } from './track_choices.ts';

/** What has changed between two choices about tracks, in words such as `hide thread 7`; '' if nothing has. */
export function wordsOfChoices(before: TrackChoices, after: TrackChoices, nameOf: (key: string) => string): string {
  return [
    ofHidden(before, after, nameOf),
    ofSwitch(before.folded, after.folded, nameOf, {
      on: (what) => `fold ${what}`,
      off: (what) => `unfold ${what}`,
    }),
    ofSwitch(before.compact, after.compact, nameOf, {
      on: (what) => `make ${what} compact`,
      off: (what) => `show ${what} in full height`,
    }),
    ofPinned(before.pinned, after.pinned, nameOf),
    ofMoves(before.moves, after.moves, nameOf),
    ofOpened(before.opened, after.opened, nameOf),
    ofLooks(before.looks, after.looks, nameOf),
  ]
    .filter(Boolean)
    .join(' and ');
}

type NameOf = (key: string) => string;

/** What is in a list and not in another. */
function missing(list: readonly string[], other: readonly string[]): readonly string[] {
  const known = new Set(other);
  return list.filter((key) => !known.has(key));
}

function ofHidden(before: TrackChoices, after: TrackChoices, nameOf: NameOf): string {
  if (before.only !== after.only) {
    return after.only === null ? 'show hidden tracks' : `hide all tracks but ${nameOf(after.only)}`;
  }
  const hidden = missing(after.hidden, before.hidden);
  const shown = missing(before.hidden, after.hidden);
  if (hidden.length > 0) return `hide ${hidden.length === 1 ? nameOf(hidden[0]!) : 'tracks'}`;
  if (shown.length > 0) return shown.length === 1 ? `show ${nameOf(shown[0]!)}` : 'show hidden tracks';
  return '';
}

interface Verbs {
  readonly on: (what: string) => string;
  readonly off: (what: string) => string;
}

function ofSwitch(before: StoredSwitch, after: StoredSwitch, nameOf: NameOf, { on, off }: Verbs): string {
  if (before.all !== after.all) return (after.all ? on : off)('all tracks');
  const [added, removed] = [missing(after.except, before.except), missing(before.except, after.except)];
  const changed = [...added, ...removed];
  if (changed.length === 0) return '';
  // All exceptions were taken back.
  if (changed.length > 1) return (after.all ? on : off)('all tracks');
  return (added.length > 0 === after.all ? off : on)(nameOf(changed[0]!));
}

function ofPinned(before: readonly string[], after: readonly string[], nameOf: NameOf): string {
  const [added, removed] = [missing(after, before), missing(before, after)];
  if (added[0] !== undefined) return `pin ${nameOf(added[0])}`;
  if (removed[0] !== undefined) return `unpin ${nameOf(removed[0])}`;
  const moved = after.find((key, i) => before[i] !== key);
  return moved === undefined ? '' : `move ${nameOf(moved)}`;
}

function ofMoves(before: TrackChoices['moves'], after: TrackChoices['moves'], nameOf: NameOf): string {
  if (JSON.stringify(before) === JSON.stringify(after)) return '';
  const moved = (after.length >= before.length ? after : before).at(-1);
  return moved ? `move ${nameOf(moved[0])}` : '';
}

function ofOpened(before: readonly string[], after: readonly string[], nameOf: NameOf): string {
  const [added, removed] = [missing(after, before), missing(before, after)];
  if (added[0] !== undefined) return `show all rows of ${nameOf(added[0])}`;
  return removed[0] === undefined ? '' : `show fewer rows of ${nameOf(removed[0])}`;
}

function ofLooks(before: TrackChoices['looks'], after: TrackChoices['looks'], nameOf: NameOf): string {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...keys].find((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
  return changed === undefined ? '' : `change the graph of ${nameOf(changed)}`;
}
