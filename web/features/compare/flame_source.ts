import { type ReadonlySignal, signal } from '@preact/signals';
import { formatCount, formatCounted, formatLength, formatShare } from '../../base/format.ts';
import { type Clock, type Flame, NO_NAME } from '../../base/protocol.ts';
import { THEME_COLOURS } from '../../base/theme_colours.ts';
import { fromHex, mix, type Rgb, toCss } from '../../timeline/render/colour.ts';
import { flameName } from '../../timeline/render/flame.ts';
import { inkOn, LEVELS, PALETTES, type Palette } from '../../timeline/render/palette.ts';
import { type FlameShows, widthOf } from '../../timeline/widgets/flame_graphs.tsx';
import type { FlameSource } from '../../timeline/widgets/flame_state.ts';
import type { ComparedFlame } from './protocol.ts';

/** What colours say: the difference of self or of total times. */
export type ColouredBy = 'self' | 'total';

/** Steps of the scale on each side of the middle. */
const STEPS = 7;
const MIDDLE = STEPS;
/** The scale from what is gone to what is new: blue, grey, orange, which all kinds of sight tell apart. The same in both themes. */
export const SCALE: readonly string[] = scale().map((colour) => toCss(colour));

/** How a graph of both is coloured. */
export interface Colouring {
  readonly by: ColouredBy;
  /** Differences below this share of the whole are grey, from 0 to 1. */
  readonly threshold: number;
  /** What times of B count. */
  readonly factor: number;
}

/** Names of nodes: a number for each path of rows, so that each node has a colour of its own. */
export interface PathNames {
  /** The graph with such numbers as names. `from`: the same for graphs whose equal paths are the same. */
  named(flame: ComparedFlame, from: FlameShows, colouring: Colouring): Flame;
  rowOf(id: number): number;
  readonly names: FlameSource['names'];
}

/** No paths yet. `names` has those of rows. */
export function createPathNames(of: Pick<FlameSource['names'], 'of'>): PathNames {
  const rows: number[] = [];
  const ids = new Map<string, number>();
  let colour = new Uint8Array(1024);
  const version = signal(0);
  const idOf = (above: number | string, row: number) => {
    const key = `${above} ${row}`;
    const known = ids.get(key);
    if (known !== undefined) return known;
    const id = rows.length;
    rows.push(row);
    ids.set(key, id);
    if (id >= colour.length) {
      const larger = new Uint8Array(colour.length * 2);
      larger.set(colour);
      colour = larger;
    }
    return id;
  };
  return {
    named: (flame, from, colouring) => {
      const { length, name, parent, total, both } = flame;
      const named = new Uint32Array(length).fill(NO_NAME);
      const self = new Float64Array(length);
      const count = new Float64Array(length);
      const whole = Math.max(both.totalA[0] ?? 0, (both.totalB[0] ?? 0) * colouring.factor);
      for (let i = 0; i < length; i += 1) {
        self[i] = Math.max(both.ownA[i]!, both.ownB[i]!);
        count[i] = both.countA[i]! + both.countB[i]!;
        if (name[i] === NO_NAME) continue;
        const above = i === 0 ? NO_NAME : named[parent[i]!]!;
        const id = idOf(above === NO_NAME ? from : above, name[i]!);
        named[i] = id;
        colour[id] = stepOf(flame, i, colouring, whole);
      }
      return { length, focus: flame.focus, partial: flame.partial, name: named, parent, total, self, count };
    },
    rowOf: (id) => rows[id] ?? -1,
    names: {
      of: (id) => of.of(rows[id] ?? -1),
      shown: (id) => of.of(rows[id] ?? -1),
      version,
      get colour() {
        return colour;
      },
    },
  };
}

/** The step of the scale that a node has, from 0. */
export function stepOf(
  { both }: ComparedFlame,
  i: number,
  { by, threshold, factor }: Colouring,
  whole: number,
): number {
  const [a, b] = by === 'self' ? [both.ownA[i]!, both.ownB[i]!] : [both.totalA[i]!, both.totalB[i]!];
  return Math.abs(b * factor - a) <= threshold * whole ? MIDDLE : stepOfPair(a, b * factor);
}

/** The step of the scale that a time in A and one in B have, from 0. */
export function stepOfPair(a: number, b: number): number {
  if (a === b) return MIDDLE;
  const part = (b - a) / Math.max(a, b);
  return MIDDLE + Math.sign(part) * Math.ceil(Math.abs(part) * STEPS);
}

function scale(): readonly Rgb[] {
  const { sideA, sideB } = THEME_COLOURS.light;
  const grey = fromHex('#9aa3ad');
  const towards = (colour: string, step: number) =>
    mix(grey, fromHex(colour), step === 0 ? 0 : 0.3 + (0.7 * step) / STEPS);
  const steps = Array.from({ length: STEPS }, (_, i) => STEPS - i);
  return [...steps.map((step) => towards(sideA, step)), grey, ...steps.reverse().map((step) => towards(sideB, step))];
}

/** The palettes of a graph of both. Colours do not depend on the theme. */
export const DIFFERENCE_PALETTES: { readonly dark: Palette; readonly light: Palette } = {
  dark: paletteOf('dark'),
  light: paletteOf('light'),
};

function paletteOf(theme: 'dark' | 'light'): Palette {
  const inks = [fromHex('#ffffff'), fromHex('#000000')] as const;
  const colours = scale();
  const levels = (all: readonly Rgb[]) => all.flatMap((colour) => Array<string>(LEVELS).fill(toCss(colour)));
  const lifted = colours.map((colour) => mix(colour, fromHex(theme === 'dark' ? '#ffffff' : '#000000'), 0.18));
  const labels = (all: readonly Rgb[]) => all.map((colour) => toCss(inkOn(colour, inks)));
  return {
    ...PALETTES[theme],
    slices: levels(colours),
    lifted: levels(lifted),
    label: labels(colours),
    liftedLabel: labels(lifted),
  };
}

/** What a graph of both is of. `graph` has the figures of what is laid out. */
export function differenceSource(
  { names }: PathNames,
  graph: ReadonlySignal<ComparedFlame | null>,
  hits: ReadonlySignal<ReadonlySet<number>>,
  clock: Clock,
  shows: FlameShows,
  rootName: ReadonlySignal<string>,
): FlameSource {
  const length = (ticks: number) => formatLength(BigInt(Math.round(ticks)), clock);
  const pair = (a: number, b: number): readonly [string, string] => {
    const difference = b - a;
    const sign = difference > 0 ? '+' : difference < 0 ? '−' : '';
    const percent = a > 0 && b > 0 ? `, ${sign}${formatShare(Math.abs(difference), a)} of A` : '';
    return [`${length(a)} → ${length(b)}`, `${sign}${length(Math.abs(difference))}${percent}`];
  };
  return {
    names,
    highlighted: signal(-1),
    hits,
    palette: (theme) => DIFFERENCE_PALETTES[theme],
    length,
    about: (laid, i) => {
      const now = graph.peek();
      const name = flameName(laid, i, names, rootName.peek());
      if (!now) return { name, figures: [], calls: '' };
      const { word, hasSelf } = widthOf(shows, laid, i);
      const total = pair(now.both.totalA[i]!, now.both.totalB[i]!);
      const self = pair(now.both.ownA[i]!, now.both.ownB[i]!);
      // Upwards, widths are self times of functions; those of the root are all of them.
      const widths = shows === 'inverted' && i > 0 ? self : total;
      return {
        name,
        figures: [[word, ...widths], ...(hasSelf ? [['self', ...self] as const] : [])],
        calls: `${formatCount(now.both.countA[i]!)} → ${formatCounted(now.both.countB[i]!, 'call')}`,
      };
    },
    hasMenus: false,
  };
}
