import { type ReadonlySignal, signal } from '@preact/signals';
import { hashText } from '../base/hash.ts';
import { inPortions } from '../base/portions.ts';

/** Number of slice colours: 8 hues × 2 lightnesses. */
export const COLOURS = 16;
const HUES = COLOURS / 2;
/** Names in a row that have different hues. */
const APART = 4;
/** From a hue that is taken to the one tried next. It has no factor in common with {@link HUES}, so each is tried. */
const STRIDE = 3;

/** The names of a trace by id, each with its colour. Grows as the worker sends names. */
export interface Names {
  readonly text: readonly string[];
  /** The colour of each id, 0 to {@link COLOURS} - 1. A larger array replaces it as it grows. */
  readonly colour: Uint8Array;
  /** Functions have short names where those are {@link Names.shown}. */
  readonly isShort: ReadonlySignal<boolean>;
  /** Counts the changes of texts. What shows names subscribes to it, or calls {@link Names.of} where that subscribes. */
  readonly version: ReadonlySignal<number>;
  /** `keys` are ids or addresses as texts, '' where the name is its key; null if all are ''. */
  add(first: number, names: readonly string[], keys: readonly string[] | null): void;
  /** Gives other texts to names. `goesOn`: others follow, until which what shows names need not hear of it. */
  rename(ids: Uint32Array, names: readonly string[], keys: readonly string[] | null, goesOn?: boolean): void;
  /** Short names of these ids, in place of all that there were. `goesOn`: others follow, and belong to them. */
  shorten(ids: Uint32Array, names: readonly string[], goesOn?: boolean): void;
  /** Shows each name as `how` returns it, until this is called again: in portions, after the last of which the version counts on. */
  rewrite(how: (text: string) => string): void;
  /** Colours were changed: what is drawn with them is out of date. */
  recoloured(): void;
  /** The name, or '' for an unknown id. */
  of(id: number): string;
  /** The name as drawings and tables show it: the short one if there is one, which says less. */
  shown(id: number): string;
  /** An id for a text that is not a name of the trace, once that is read: for slices of derived tracks. */
  apart(text: string): number;
  /** The id or address that the file has in place of the name, such as `#12`; '' if that is the name or there is none. */
  keyOf(id: number): string;
  /** The name of a record as it is shown: the text of that key, or the text itself. */
  inPlaceOf(text: string): string;
  /** The same as tables show it. */
  shownInPlaceOf(text: string): string;
}

/** Names as a list. */
export type ListedNames = Pick<Names, 'of' | 'keyOf'> & { readonly text: { readonly length: number } };

/** No names yet. */
export function createNames(): Names {
  const text: string[] = [];
  const keys = new Map<number, string>();
  const byKey = new Map<string, number>();
  const version = signal(0);
  let colour = new Uint8Array(256);
  let rewritten = (name: string) => name;
  let stopRewriting = () => {};
  const announce = () => {
    version.value += 1;
  };
  const colouring = createColouring();
  /** The ids from this one on have no colour yet. */
  let uncoloured = 0;
  /** The texts of names that are shown with others. */
  const given = new Map<number, string>();
  let short = new Map<number, string>();
  /** Short names of which others are still to come. */
  let coming = new Map<number, string>();
  const isShort = signal(false);
  const show = (id: number, name: string) => {
    const shown = rewritten(name);
    if (shown === name) given.delete(id);
    else given.set(id, name);
    text[id] = shown;
  };
  /** Ids of texts apart from the names of the trace, in order. They follow those of the names. */
  const textsApart: string[] = [];
  const apart = new Map<string, number>();
  let firstApart = 0;
  const grow = (length: number) => {
    if (length <= colour.length) return;
    const larger = new Uint8Array(Math.max(colour.length * 2, length));
    larger.set(colour);
    colour = larger;
  };
  const set = (id: number, name: string, key: string) => {
    show(id, name);
    // It was that of another text.
    short.delete(id);
    const before = keys.get(id);
    if (before !== undefined) byKey.delete(before);
    if (key === '') {
      keys.delete(id);
    } else {
      keys.set(id, key);
      byKey.set(key, id);
    }
  };
  const fullText = (id: number) => {
    // Subscribes.
    version.value;
    return text[id] ?? textsApart[id - firstApart] ?? '';
  };
  const shortText = (id: number) => {
    const full = fullText(id);
    return short.get(id) ?? full;
  };
  const inPlaceOf = (name: string, textOf: (id: number) => string) => {
    const id = version.value > 0 ? byKey.get(name) : undefined;
    return id === undefined ? rewritten(name) : textOf(id);
  };
  return {
    isShort,
    version,
    text,
    get colour() {
      return colour;
    },
    add: (first, names, keysOfNames) => {
      grow(first + names.length);
      for (const [i, name] of names.entries()) {
        const key = keysOfNames?.[i] ?? '';
        set(first + i, name, key);
        // A function keeps its colour when a companion names it.
        if (first + i >= uncoloured) colour[first + i] = colouring.next(key || name);
      }
      uncoloured = Math.max(uncoloured, first + names.length);
    },
    rename: (ids, names, keysOfNames, goesOn = false) => {
      for (const [i, id] of ids.entries()) set(id, names[i] ?? '', keysOfNames?.[i] ?? '');
      if (!goesOn) version.value += 1;
    },
    shorten: (ids, names, goesOn = false) => {
      for (const [i, id] of ids.entries()) coming.set(id, names[i] ?? '');
      if (goesOn) return;
      short = coming;
      coming = new Map();
      version.value += 1;
      isShort.value = short.size > 0;
    },
    rewrite: (how) => {
      rewritten = how;
      stopRewriting();
      const rewriteSome = (start: number, end: number) => {
        for (let id = start; id < end; id += 1) show(id, given.get(id) ?? text[id]!);
      };
      stopRewriting = inPortions(text.length, rewriteSome, announce);
    },
    recoloured: announce,
    of: fullText,
    shown: shortText,
    apart: (own) => {
      if (apart.size === 0) firstApart = text.length;
      const known = apart.get(own);
      if (known !== undefined) return known;
      const id = firstApart + apart.size;
      apart.set(own, id);
      textsApart.push(own);
      grow(id + 1);
      // Neighbours such as `CPU 1` and `CPU 2` are to be told apart: first all hues, then their other lightness.
      const place = (id - firstApart) % COLOURS;
      colour[id] = ((place * 2) % COLOURS) + (place >= COLOURS / 2 ? 1 : 0);
      return id;
    },
    keyOf: (id) => keys.get(id) ?? '',
    inPlaceOf: (name) => inPlaceOf(name, fullText),
    shownInPlaceOf: (name) => inPlaceOf(name, shortText),
  };
}

/** The id or the address that the file has in place of a name, or null. Subscribes. */
export function functionOf(names: Names, name: number): number | bigint | null {
  const text = names.of(name);
  const key = /^(?:#(\d+)|(0x[\da-f]+))$/.exec(names.keyOf(name) || text);
  if (!key) return null;
  return key[2] === undefined ? Number(key[1]) : BigInt(key[2]);
}

/** Whether functions of a trace that takes names from a program have numbers only, and there is no companion yet. */
export function hasNumbersOnly({ info, companions, names }: Named): boolean {
  if (!info.value?.companions.includes('binary') || companions.value.length > 0) return false;
  // The first one may be that of time without records.
  return [0, 1].some((name) => /^#\d+$/.test(names.of(name)));
}

interface Named {
  readonly info: ReadonlySignal<{ readonly companions: readonly string[] } | null>;
  readonly companions: ReadonlySignal<readonly unknown[]>;
  readonly names: Names;
}

/** Gives the names of a trace their colours, in the order of their ids. */
export interface Colouring {
  /** The colour of the next name, 0 to {@link COLOURS} - 1. */
  next(name: string): number;
}

/**
 * A colouring without names. The hash of a name picks its hue from those that the last names do not have: names with
 * neighbouring ids call one another or follow one another, and so are drawn side by side. The colours depend on the order of
 * names alone, and that is the same whenever a file is opened. Names that differ only in a number (`frame 1`, `frame 2`)
 * share a hue and alternate in lightness: separate hues would suggest a meaning.
 */
export function createColouring(): Colouring {
  /** The hues of names with numbers, by what comes before the number. */
  const counted = new Map<string, number>();
  /** The hues of the last names, the latest first. */
  const recent: number[] = [];
  const pick = (hash: number): number => {
    const [before = -1] = recent;
    let hue = hash % HUES;
    // Around the circle there are always some that are not taken.
    while (recent.includes(hue) || isNextTo(hue, before)) hue = (hue + STRIDE) % HUES;
    recent.unshift(hue);
    recent.length = Math.min(recent.length, APART);
    return hue;
  };
  return {
    next: (name) => {
      const number = numberOf(name);
      if (number === '') {
        const hash = hashText(name);
        return 2 * pick(hash >>> 1) + (hash & 1);
      }
      const family = name.slice(0, -number.length - 1);
      const hue = counted.get(family) ?? pick(hashText(family) >>> 1);
      counted.set(family, hue);
      return 2 * hue + (Number(number.at(-1)) & 1);
    },
  };
}

/** Hues are numbered around the circle. -1 stands for none. */
function isNextTo(hue: number, other: number): boolean {
  return other >= 0 && (hue === (other + 1) % HUES || other === (hue + 1) % HUES);
}

/** The number at the end of a name: `12` of `frame 12`, `1:12` of `statement 1:12`. Returns '' for other names. */
export function numberOf(name: string): string {
  // Few names end in a digit, and the expression would try every place of the others.
  if (!/\d$/.test(name)) return '';
  return /^.*\D (\d+(?::\d+)*)$/.exec(name)?.[1] ?? '';
}
