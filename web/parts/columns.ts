import { type Signal, signal } from '@preact/signals';
import { recallValue, remember } from '../base/storage.ts';

/** What a user has chosen about the columns of a table, by their ids. */
export interface ColumnChoices {
  /** All columns that there were, in the order of the user; empty for the order of the table. */
  readonly order: readonly string[];
  readonly hidden: readonly string[];
  /** CSS pixels. Once one column is resized, all that were there have a width. */
  readonly widths: Readonly<Record<string, number>>;
}

/** The columns as the table has them. */
export const NO_CHOICES: ColumnChoices = { order: [], hidden: [], widths: {} };

/** CSS pixels of the narrowest column. */
const NARROWEST = 36;
const KEY = 'unspool:columns';
/** Tables whose choices are remembered. The rows of each query are a table of their own. */
const MOST_TABLES = 60;

const known = new Map<string, Signal<ColumnChoices>>();

/** The choices about a table. They last with the browser, and are the same for all tables of this name. */
export function choicesOf(table: string): Signal<ColumnChoices> {
  let choices = known.get(table);
  if (!choices) {
    choices = signal(rememberedChoices().find(([name]) => name === table)?.[1] ?? NO_CHOICES);
    known.set(table, choices);
  }
  return choices;
}

/** Changes the choices about a table, and remembers them. */
export function choose(table: string, next: ColumnChoices): void {
  choicesOf(table).value = next;
  const others = rememberedChoices().filter(([name]) => name !== table);
  const all = isDefault(next) ? others : [...others, [table, next] as const];
  remember(KEY, JSON.stringify(all.slice(-MOST_TABLES)));
}

/** Whether the columns are as the table has them. */
export function isDefault({ order, hidden, widths }: ColumnChoices): boolean {
  return order.length === 0 && hidden.length === 0 && Object.keys(widths).length === 0;
}

/** The ids in the order of the user. A column that was not there then follows the one that it follows in the table. */
export function ordered(ids: readonly string[], { order }: ColumnChoices): readonly string[] {
  if (order.length === 0) return ids;
  const found = order.filter((id) => ids.includes(id));
  for (const [i, id] of ids.entries()) {
    if (!found.includes(id)) found.splice(i === 0 ? 0 : found.indexOf(ids[i - 1]!) + 1, 0, id);
  }
  return found;
}

/** The ids of the columns that are shown, in their order. One is always shown. */
export function shownOf(ids: readonly string[], choices: ColumnChoices): readonly string[] {
  const all = ordered(ids, choices);
  const shown = all.filter((id) => !choices.hidden.includes(id));
  return shown.length > 0 ? shown : all;
}

/** Moves a column to the place that another one has among those that are shown. */
export function withMoved(ids: readonly string[], choices: ColumnChoices, id: string, to: string): ColumnChoices {
  const all = [...ordered(ids, choices)];
  const [from, at] = [all.indexOf(id), all.indexOf(to)];
  if (from < 0 || at < 0) return choices;
  all.splice(from, 1);
  all.splice(at, 0, id);
  return { ...choices, order: all.every((one, i) => one === ids[i]) ? [] : all };
}

/** Hides a column, or shows it again. */
export function withToggled(choices: ColumnChoices, id: string): ColumnChoices {
  const { hidden } = choices;
  return { ...choices, hidden: hidden.includes(id) ? hidden.filter((one) => one !== id) : [...hidden, id] };
}

/** Gives a column a width in CSS pixels, and the others those that they have now: nothing else moves. */
export function withWidth(
  choices: ColumnChoices,
  now: Readonly<Record<string, number>>,
  id: string,
  width: number,
): ColumnChoices {
  return { ...choices, widths: { ...choices.widths, ...now, [id]: Math.max(NARROWEST, Math.round(width)) } };
}

/**
 * Widths of columns that need more than `room` CSS pixels, made a little wider, so that the edge of the room is one between two
 * columns: half a number reads as another one.
 */
export function wholeColumns(widths: readonly number[], room: number): readonly number[] {
  let sum = 0;
  let count = 0;
  while (count < widths.length && sum + widths[count]! <= room) {
    sum += widths[count]!;
    count += 1;
  }
  if (count === widths.length || count === 0) return widths;
  return widths.map((width) => (width * room) / sum);
}

/** CSS pixels of a text in a cell, with the space around it. */
export function widthOfText(text: string): number {
  const wide = text.match(/[m≈<%]/g)?.length ?? 0;
  return Math.ceil(text.length * CHARACTER + wide * WIDER) + PADDING;
}

/** CSS pixels of a title in the head of a column that can be sorted by. */
export function widthOfHead(title: string): number {
  return Math.ceil(title.length * OF_HEAD) + PADDING + SIGN;
}

/** CSS pixels of a letter in a head, and of the sign of an order. */
const OF_HEAD = 6.9;
const SIGN = 10;
/** CSS pixels of a digit in the font of tables, how much wider `m` and signs are, and the space on both sides of a cell. */
const CHARACTER = 7.6;
const WIDER = 2;
const PADDING = 18;

function rememberedChoices(): (readonly [table: string, choices: ColumnChoices])[] {
  const stored = recallValue(KEY);
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((entry: unknown) => {
    if (!Array.isArray(entry) || typeof entry[0] !== 'string' || typeof entry[1] !== 'object') return [];
    const { order, hidden, widths } = (entry[1] ?? {}) as Record<string, unknown>;
    return [[entry[0], { order: texts(order), hidden: texts(hidden), widths: numbers(widths) }] as const];
  });
}

function texts(of: unknown): readonly string[] {
  return Array.isArray(of) ? of.filter((one) => typeof one === 'string') : [];
}

function numbers(of: unknown): Readonly<Record<string, number>> {
  if (typeof of !== 'object' || of === null) return {};
  return Object.fromEntries(Object.entries(of).filter(([, width]) => Number.isFinite(width) && width >= NARROWEST));
}
