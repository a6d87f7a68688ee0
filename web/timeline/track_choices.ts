import { VALUE_TYPES, type ValueLook, type ValueType } from '../base/protocol.ts';

/** What holds for no track or for all, except for some, by their keys. */
export interface StoredSwitch {
  readonly all: boolean;
  readonly except: readonly string[];
}

/**
 * What the user has chosen about the tracks of a trace. A plain object that can be stored: tracks have keys, which are the same
 * in each opening of the file. Keys of tracks that are not there have no effect.
 */
export interface TrackChoices {
  readonly folded: StoredSwitch;
  readonly compact: StoredSwitch;
  /** In their order. */
  readonly pinned: readonly string[];
  readonly hidden: readonly string[];
  /** Only this track, what it belongs to and what belongs to it are shown; null for all. */
  readonly only: string | null;
  /** Each puts a track before another one of the same parent, or (null) after all of them. Later ones act on what earlier ones did. */
  readonly moves: readonly (readonly [track: string, before: string | null])[];
  /** Those that show all their rows, however deep. */
  readonly opened: readonly string[];
  /** How the values of counters are shown, where that is not as usual. */
  readonly looks: Readonly<Record<string, ValueLook>>;
}

const OFF: StoredSwitch = { all: false, except: [] };

/** Nothing is chosen: all tracks are shown in the order of `inOrder`. */
export const NO_CHOICES: TrackChoices = {
  folded: OFF,
  compact: OFF,
  pinned: [],
  hidden: [],
  only: null,
  moves: [],
  opened: [],
  looks: {},
};

/** What was stored as {@link TrackChoices}. What is missing or damaged counts as not chosen. */
export function readChoices(stored: unknown): TrackChoices {
  if (typeof stored !== 'object' || stored === null) return NO_CHOICES;
  const { folded, compact, pinned, hidden, only, moves, opened, looks } = stored as Record<string, unknown>;
  return {
    folded: readSwitch(folded),
    compact: readSwitch(compact),
    pinned: texts(pinned),
    hidden: texts(hidden),
    only: typeof only === 'string' ? only : null,
    moves: Array.isArray(moves) ? moves.filter(isMove) : [],
    opened: texts(opened),
    looks: readLooks(looks),
  };
}

function readLooks(stored: unknown): Readonly<Record<string, ValueLook>> {
  if (typeof stored !== 'object' || stored === null) return {};
  return Object.fromEntries(Object.entries(stored).map(([key, look]) => [key, readLook(look)]));
}

function readLook(stored: unknown): ValueLook {
  if (typeof stored !== 'object' || stored === null) return {};
  const { format, type, dots, log, tall } = stored as Record<string, unknown>;
  return {
    ...(format === 'decimal' || format === 'hex' || format === 'characters' ? { format } : {}),
    ...(VALUE_TYPES.includes(type as ValueType) ? { type: type as ValueType } : {}),
    ...(dots === true ? { dots } : {}),
    ...(log === true ? { log } : {}),
    ...(tall === true ? { tall } : {}),
  };
}

function readSwitch(stored: unknown): StoredSwitch {
  if (typeof stored !== 'object' || stored === null) return OFF;
  const { all, except } = stored as Record<string, unknown>;
  return { all: all === true, except: texts(except) };
}

function texts(stored: unknown): readonly string[] {
  return Array.isArray(stored) ? [...new Set(stored.filter((text) => typeof text === 'string'))] : [];
}

function isMove(move: unknown): move is readonly [string, string | null] {
  if (!Array.isArray(move) || move.length !== 2 || typeof move[0] !== 'string') return false;
  return move[1] === null || typeof move[1] === 'string';
}
