/* What the cells of a list of records say. */

import { formatCount, formatPosition, shortened } from '../base/format.ts';
import type { Field, RecordColumn, Ticks } from '../base/protocol.ts';
import type { RecordRow } from '../base/record_protocol.ts';
import { retyped } from './event_payload.ts';
import type { EventTypes } from './event_types.ts';
import { fieldsLine, type ValueContext, valueLine } from './values.ts';

/** What cells need besides their record. */
export interface CellContext extends ValueContext {
  readonly columns: readonly RecordColumn[];
  /** Returns the name of a thread by its track. */
  readonly threadOf: (track: number) => string;
  /** Returns the name of a record as it is shown, by the name that its file has. */
  readonly nameOf: (name: string) => string;
  /** What the user says about types of events. */
  readonly eventTypes: EventTypes;
}

/** Characters of a cell at most. */
const LONGEST = 400;

/** The texts of a record, one a column. */
export function cellTexts(row: RecordRow, context: CellContext): readonly string[] {
  const ofRow = { ...context, isCut: row.dropped > 0 };
  const shown = { ...row, fields: retyped(row.fields, context.eventTypes) };
  // A name may be as long as the file: laying it out would stop the page.
  const texts = context.columns.map((column) => shortened(cellText(column, shown, ofRow), LONGEST));
  // What is not an instruction, such as a system call, is read in place of one: the last column may be out of sight.
  const instruction = context.columns.findIndex(({ key }) => key === 'instruction');
  const rest = context.columns.findIndex(({ shows }) => shows === 'rest');
  if (texts[instruction] === '' && texts[rest]) {
    texts[instruction] = texts[rest];
    texts[rest] = '';
  }
  return texts;
}

/** The text of a position. The head of its column names the unit. */
export function positionText(x: Ticks, { clock, origin }: Pick<ValueContext, 'clock' | 'origin'>): string {
  return clock.kind === 'ordinal' ? formatCount(x) : formatPosition(x, origin, clock);
}

function cellText({ shows, key }: RecordColumn, row: RecordRow, context: CellContext): string {
  switch (shows) {
    case 'position':
      return positionText(row.x, context);
    case 'thread':
      return context.threadOf(row.track);
    case 'name':
      return context.nameOf(row.name);
    case 'field': {
      const field = row.fields.find(({ name }) => name === key);
      if (!field || field.value.t === 'null') return '';
      const text = valueLine(field.value, context, LONGEST);
      // What the field says may have a name: that of the record.
      const name = row.name === '' || !row.name.endsWith(text) ? row.name : context.nameOf(row.name);
      return name === row.name ? withTarget(text, context) : name;
    }
    case 'rest': {
      const rest = restLine(
        row.fields.filter(({ name }) => !isShown(context.columns, name)),
        context,
      );
      // A line that ends in an ellipsis says that there is more.
      const more = row.dropped > 0 && !/…\}*$/.test(rest) ? '…' : '';
      return [unsaidName(row, context), [rest, more].filter(Boolean).join(', ')].filter(Boolean).join(': ');
    }
  }
}

/** `call 0x401000 <main>`, as disassemblers write it: an instruction with the name of where it leads. */
function withTarget(text: string, { nameOf }: CellContext): string {
  const target = / (0x[\da-f]+)$/.exec(text)?.[1];
  const name = target === undefined ? target : nameOf(target);
  return name === target ? text : `${text} <${name}>`;
}

/** The name of a record of an unusual kind, where no column says it. */
function unsaidName(row: RecordRow, context: CellContext): string {
  const isSaid = context.columns.some(({ shows, key }) => {
    const field = shows === 'field' && row.fields.find(({ name }) => name === key);
    return shows === 'name' || (field && row.name.endsWith(valueLine(field.value, context, LONGEST)));
  });
  return isSaid ? '' : row.name;
}

/** Fields that no column shows. Arguments or a payload need no name when they are all there is. */
function restLine(rest: readonly Field[], context: ValueContext): string {
  const [only] = rest;
  const isClear = rest.length === 1 && (only?.value.t === 'list' || only?.value.t === 'bytes');
  return isClear ? valueLine(only.value, context, LONGEST) : fieldsLine(rest, context, LONGEST);
}

/** Whether a column shows the field with this key. */
function isShown(columns: readonly RecordColumn[], name: string): boolean {
  return columns.some(({ shows, key }) => key === name || (shows === 'thread' && name === 'thread'));
}
