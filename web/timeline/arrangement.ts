import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Track, ValueLook } from '../base/protocol.ts';
import { createTrackKeys, type KeyedTrack } from '../trace/track_keys.ts';
import { inOrder, type Tracks } from '../trace/tracks.ts';
import { isHeading, isOn } from './layout.ts';
import { NO_CHOICES, type StoredSwitch, type TrackChoices } from './track_choices.ts';
import { type Switch, type Visibility, visibilityOf, withMoves } from './visibility.ts';

/** The order and the visibility of the tracks of a trace, and the track that commands act on. */
export interface Arrangement {
  /** Words that the names of shown tracks contain. Pinned tracks are shown in any case. */
  readonly filter: Signal<string>;
  /** Id of the track that commands act on, or -1. When it is hidden, it becomes the one next to it. */
  readonly current: Signal<number>;
  /** All tracks in the order of the user. */
  readonly ordered: ReadonlySignal<readonly Track[]>;
  readonly folded: ReadonlySignal<Switch>;
  readonly compact: ReadonlySignal<Switch>;
  /** Ids in their order. */
  readonly pinned: ReadonlySignal<readonly number[]>;
  /** Ids of the tracks that show all their rows, however deep. */
  readonly opened: ReadonlySignal<ReadonlySet<number>>;
  /** null if all tracks are shown. */
  readonly visibility: ReadonlySignal<Visibility | null>;
  /** What the user has chosen. Setting it restores that, also for tracks that are still to come. */
  readonly choices: Signal<TrackChoices>;
  find(id: number): Track | undefined;
  /** The track with a key of {@link TrackChoices}. */
  ofKey(key: string): Track | undefined;
  /** How the values of a counter are shown, where that is not as usual. */
  lookOf(id: number): ValueLook;
  setLook(id: number, look: ValueLook): void;
  isFolded(id: number): boolean;
  toggleFolded(id: number): void;
  /** Folds or unfolds all tracks. A track that only groups others stays open when all are folded. */
  foldAll(folded: boolean): void;
  toggleCompact(id: number): void;
  setCompact(compact: boolean): void;
  togglePinned(id: number): void;
  /** Shows all rows of a track, or no more than the others. */
  toggleOpened(id: number): void;
  hide(id: number): void;
  showOnly(id: number): void;
  /** Takes back {@link Arrangement.hide} and {@link Arrangement.showOnly}. */
  showAll(): void;
  /** Makes sure that a track is shown: nothing hides it, and what it is below is unfolded. */
  uncover(id: number): void;
  /** The shown sibling next to a track, before (-1) or after (1) it; of a pinned track, the pinned one. undefined at the end. */
  sibling(id: number, by: 1 | -1): Track | undefined;
  /** Puts a track before another one with the same parent, or (null) after all of them. Both are pinned, or neither is. */
  moveBefore(id: number, before: number | null): void;
  /** Puts a track before or after the shown sibling next to it. */
  move(id: number, by: 1 | -1): void;
}

/** The tracks of a trace with the `derived` ones above them, as they come. */
export function createArrangement(
  tracks: ReadonlySignal<Tracks>,
  derived: ReadonlySignal<readonly KeyedTrack[]>,
): Arrangement {
  const filter = signal('');
  const current = signal(-1);
  const choices = signal(NO_CHOICES);
  const keys = createTrackKeys();
  const unlooked = computed(() => [...derived.value, ...inOrder(tracks.value.values())]);
  /** The keys of all tracks. They cost as much as there are tracks, so they wait until something is chosen. */
  const known = computed(() => {
    keys.add(tracks.value.values());
    keys.add(derived.value);
    return { keys };
  });
  const all = computed(() => {
    const looks = Object.entries(choices.value.looks);
    if (looks.length === 0) return unlooked.value;
    const { idOf } = known.value.keys;
    const byId = new Map(looks.map(([key, look]) => [idOf(key), look]));
    return unlooked.value.map((track) => {
      const look = byId.get(track.id);
      return look ? { ...track, look } : track;
    });
  });
  const idsOf = (chosen: readonly string[]): number[] => {
    if (chosen.length === 0) return [];
    const { idOf } = known.value.keys;
    return chosen.map(idOf).filter((id) => id !== undefined);
  };
  const switchOf = ({ all, except }: StoredSwitch): Switch => ({ all, except: new Set(idsOf(except)) });
  const folded = computed(() => switchOf(choices.value.folded));
  const compact = computed(() => switchOf(choices.value.compact));
  const pinned = computed(() => idsOf(choices.value.pinned));
  const opened = computed(() => new Set(idsOf(choices.value.opened)));
  const hidden = computed(() => new Set(idsOf(choices.value.hidden)));
  const only = computed(() => (choices.value.only === null ? -1 : (idsOf([choices.value.only])[0] ?? -1)));
  const ordered = computed(() => {
    const { moves } = choices.value;
    if (moves.length === 0) return all.value;
    const { idOf } = known.value.keys;
    return withMoves(
      all.value,
      moves.map(([track, before]) => [idOf(track), before === null ? null : idOf(before)] as const),
    );
  });
  const visibility = computed(() =>
    visibilityOf(all.value, { hidden: hidden.value, only: only.value, pinned: pinned.value, filter: filter.value }),
  );

  const keyOf = (id: number): string => known.peek().keys.keyOf(id) ?? '';
  const change = (next: Partial<TrackChoices>) => {
    choices.value = { ...choices.peek(), ...next };
  };
  const find = (id: number) => tracks.peek().get(id) ?? derived.peek().find((track) => track.id === id);
  const siblingsOf = (id: number): readonly Track[] => {
    if (pinned.peek().includes(id)) return pinned.peek().flatMap((other) => find(other) ?? []);
    const parent = find(id)?.parent;
    const now = visibility.peek();
    const onTop = new Set(pinned.peek());
    return ordered
      .peek()
      .filter((track) => track.parent === parent && !onTop.has(track.id) && (now?.isShown(track.id) ?? true));
  };
  const sibling = (id: number, by: 1 | -1) => {
    const siblings = siblingsOf(id);
    const at = siblings.findIndex((track) => track.id === id);
    return at < 0 ? undefined : siblings[at + by];
  };
  const moveBefore = (id: number, before: number | null) => {
    const key = keyOf(id);
    const target = before === null ? null : keyOf(before);
    if (key === target) return;
    const { pinned: pins, moves } = choices.peek();
    if (pins.includes(key)) {
      const others = pins.filter((other) => other !== key);
      const at = target === null ? others.length : others.indexOf(target);
      change({ pinned: [...others.slice(0, at), key, ...others.slice(at)] });
      return;
    }
    // Of several moves of a track in a row, only the last one counts.
    const earlier = moves.at(-1)?.[0] === key ? moves.slice(0, -1) : moves;
    change({ moves: [...earlier, [key, target]] });
  };
  return {
    filter,
    current,
    ordered,
    folded,
    compact,
    pinned,
    opened,
    visibility,
    choices,
    find,
    ofKey: (key) => {
      const id = known.peek().keys.idOf(key);
      return id === undefined ? undefined : find(id);
    },
    lookOf: (id) => choices.peek().looks[keyOf(id)] ?? {},
    setLook: (id, look) => {
      const { [keyOf(id)]: _, ...others } = choices.peek().looks;
      const isUsual = Object.values(look).every((value) => value === undefined || value === false);
      change({ looks: isUsual ? others : { ...others, [keyOf(id)]: look } });
    },
    isFolded: (id) => {
      const track = find(id);
      return track !== undefined && isOn(folded.peek(), id, !isHeading(track));
    },
    toggleFolded: (id) => change({ folded: toggled(choices.peek().folded, keyOf(id)) }),
    foldAll: (isFolded) => change({ folded: { all: isFolded, except: [] } }),
    toggleCompact: (id) => change({ compact: toggled(choices.peek().compact, keyOf(id)) }),
    setCompact: (isCompact) => change({ compact: { all: isCompact, except: [] } }),
    togglePinned: (id) =>
      change({ pinned: without(choices.peek().pinned, keyOf(id)) ?? [...choices.peek().pinned, keyOf(id)] }),
    toggleOpened: (id) =>
      change({ opened: without(choices.peek().opened, keyOf(id)) ?? [...choices.peek().opened, keyOf(id)] }),
    hide: (id) => {
      const key = keyOf(id);
      // The next step goes on from where the track was.
      if (current.peek() === id) current.value = (sibling(id, 1) ?? sibling(id, -1))?.id ?? find(id)?.parent ?? -1;
      if (choices.peek().only === key) change({ only: null });
      change({ hidden: [...(without(choices.peek().hidden, key) ?? choices.peek().hidden), key] });
    },
    showOnly: (id) =>
      change({ only: keyOf(id), hidden: without(choices.peek().hidden, keyOf(id)) ?? choices.peek().hidden }),
    showAll: () => change({ hidden: [], only: null }),
    uncover: (id) => {
      const now = visibility.peek();
      const path: number[] = [];
      for (let at: number | undefined = id; at !== undefined && at >= 0; at = find(at)?.parent) path.push(at);
      if (now && !now.isShown(id)) {
        if (now.isHidden(id)) {
          const gone = new Set(path.map(keyOf));
          change({ hidden: choices.peek().hidden.filter((key) => !gone.has(key)), only: null });
        }
        if (!(visibility.peek()?.isShown(id) ?? true)) filter.value = '';
      }
      for (const above of path.slice(1)) {
        const track = find(above);
        if (!track || !isOn(folded.peek(), above, !isHeading(track))) continue;
        change({ folded: toggled(choices.peek().folded, keyOf(above)) });
      }
    },
    sibling,
    moveBefore,
    move: (id, by) => {
      const next = sibling(id, by);
      if (!next) return;
      const following = by < 0 ? next : sibling(next.id, 1);
      moveBefore(id, following?.id ?? null);
    },
  };
}

/** The list without a key, or null if it does not have the key. */
function without(list: readonly string[], key: string): readonly string[] | null {
  return list.includes(key) ? list.filter((other) => other !== key) : null;
}

function toggled({ all, except }: StoredSwitch, key: string): StoredSwitch {
  return { all, except: without(except, key) ?? [...except, key] };
}
