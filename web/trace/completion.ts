import type { TraceInfo } from '../base/protocol.ts';
import { quotedIfNeeded } from './terms.ts';

/** Something to put in place of a part of an expression. */
export interface Completion {
  /** What is inserted. */
  readonly text: string;
  /** What it means, in a few words; '' for a name. */
  readonly meaning: string;
}

/** The completions of the term at the caret, and the part of the expression that one of them replaces. */
export interface Completions {
  readonly from: number;
  readonly to: number;
  readonly items: readonly Completion[];
}

/** What completions are made of. */
export interface Known {
  readonly names: readonly string[];
  readonly threads: readonly string[];
  /** Names of arguments and fields that were seen. */
  readonly fields: readonly string[];
  readonly info: TraceInfo | null;
}

/** Most completions shown. */
const MOST = 8;
/** Most names that are looked at, so that typing stays fluent. */
const MOST_NAMES = 200_000;

const ALWAYS: readonly Completion[] = [
  { text: 'name:', meaning: 'Name, exact or with *' },
  { text: 'thread:', meaning: 'Thread by name or number' },
  { text: 'depth:', meaning: '0 is the outermost' },
  { text: 'start>', meaning: 'Position of the start' },
  { text: 'flag:', meaning: 'open, began-before, …' },
  { text: 'arg.', meaning: 'Argument or field' },
  { text: 'text:', meaning: 'Part of any text' },
  { text: 'bytes:', meaning: 'Bytes in hexadecimal' },
];
const WITH_CODE: readonly Completion[] = [
  { text: 'insn:', meaning: 'Instruction, such as insn:syscall' },
  { text: 'addr:', meaning: 'Address or range of addresses' },
];
const WITH_STATE: readonly Completion[] = [
  { text: 'mem:', meaning: 'Memory read or written, also mem.read:' },
  { text: 'mem.value:', meaning: 'Value in memory' },
  { text: 'reg.', meaning: 'Value in a register, such as reg.rax:5' },
  { text: 'taint:', meaning: 'Id of an operand’s taint, or *' },
];
const DURATION: Completion = { text: 'dur>', meaning: 'Duration, such as dur>1ms' };
const OF_CALLS: readonly Completion[] = [
  { text: 'frame:', meaning: 'Number of the frame' },
  { text: 'ret:', meaning: 'Result of the call' },
];
const FLAGS: readonly Completion[] = [
  { text: 'open', meaning: 'Still running at the end' },
  { text: 'began-before', meaning: 'Its beginning was not recorded' },
  { text: 'end-inferred', meaning: 'Its end is not in the trace' },
  { text: 'uncertain', meaning: 'A guess' },
];

/** The keys of the language that mean something in this trace. */
function keysFor(info: TraceInfo | null): readonly Completion[] {
  const isTimed = info?.clock.kind !== 'ordinal';
  const keys = [...ALWAYS];
  if (isTimed) keys.splice(2, 0, DURATION);
  if (info?.offers.includes('disassembly')) keys.splice(1, 0, ...WITH_CODE);
  if (info?.offers.includes('state')) keys.splice(3, 0, ...WITH_STATE);
  if (info?.recordNoun === 'call') keys.push(...OF_CALLS);
  return keys;
}

/** The words that terms which mean something in this trace begin with. */
export function keyWords(info: TraceInfo | null): readonly string[] {
  return keysFor(info).map(({ text }) => text.replace(/\W+$/, ''));
}

/**
 * A term that means something in this trace, as an example: one about its records, or about its slices. `fields` are names of
 * arguments and variables that were seen.
 */
export function exampleTerm(
  { clock, offers }: TraceInfo,
  about: 'records' | 'slices',
  fields: readonly string[] = [],
): string {
  if (clock.kind === 'seconds') return 'dur>1ms';
  if (about === 'slices') return 'depth:0';
  if (offers.includes('disassembly')) return 'insn:call';
  return `arg.${(offers.includes('values') ? fields[0] : undefined) ?? 'count'}>1`;
}

/** Two or three things that can be looked for in this trace. */
export function exampleSearch({ clock, offers, recordNoun }: TraceInfo): string {
  const place = clock.kind === 'ordinal' ? `${clock.unit} 12` : '1.5 ms';
  if (offers.includes('disassembly')) return `xor esi, 31 f6, ${place}`;
  if (offers.includes('graphics')) return `GL_BLEND, frame 5, ${place}`;
  if (offers.includes('values')) return `a variable, x > 5, ${place}`;
  return clock.kind === 'seconds' ? `a name, dur>1ms, ${place}` : `a name, a ${recordNoun}, ${place}`;
}

/** What may stand at the caret of an expression. Without an item, there is nothing to suggest. */
export function completionsOf(text: string, caret: number, known: Known): Completions {
  const before = text.slice(0, caret);
  const from = termStart(before);
  const to = caret + (/^[^\s)]*/.exec(text.slice(caret))?.[0].length ?? 0);
  const term = before.slice(from);
  const none: Completions = { from, to, items: [] };
  // Quotes and regular expressions are the user's own.
  if (/["/]/.test(term)) return none;
  const [, key = '', value = ''] = /^([a-z]+)[:=](.*)$/i.exec(term) ?? [];
  const at = from + key.length + 1;
  switch (key.toLowerCase()) {
    case 'name':
      return { from: at, to, items: namesLike(value, known.names) };
    case 'thread':
      return { from: at, to, items: namesLike(value, known.threads) };
    case 'flag':
      return { from: at, to, items: FLAGS.filter(({ text }) => text.startsWith(value) && text !== value) };
    case '':
      break;
    default:
      return none;
  }
  const [, field] = /^arg\.([^:<>=]*)$/i.exec(term) ?? [];
  if (field !== undefined) {
    const items = known.fields.filter((name) => name.startsWith(field) && name !== field).sort();
    return { from: from + 4, to, items: items.slice(0, MOST).map((name) => ({ text: name, meaning: '' })) };
  }
  if (text.trim() === '') return { from, to, items: keysFor(known.info) };
  if (term === '') return none;
  const keys = keysFor(known.info).filter(({ text }) => text.startsWith(term.toLowerCase()) && text !== term);
  const names = term.length < 2 ? [] : namesLike(term, known.names);
  const asTerm = ({ text, meaning }: Completion) => ({ text: `name:${text}`, meaning });
  return { from, to, items: [...keys, ...names.map(asTerm)].slice(0, MOST) };
}

/** A text with a completion in place of a part of it, and where the caret is then. `goesOn`: a value has to follow. */
export function inserted(
  typed: string,
  { from, to }: Completions,
  item: string,
): { readonly text: string; readonly caret: number; readonly goesOn: boolean } {
  const goesOn = /[:>.(]$/.test(item);
  const rest = typed.slice(to);
  const put = goesOn || rest.startsWith(' ') ? item : `${item} `;
  return { text: typed.slice(0, from) + put + rest, caret: from + put.length, goesOn };
}

/** Where the term before the caret begins: after a space, a parenthesis or a minus that is not in quotes. */
function termStart(before: string): number {
  let start = 0;
  let quoted = false;
  for (const [i, c] of [...before].entries()) {
    if (c === '"' && before[i - 1] !== '\\') quoted = !quoted;
    else if (!quoted && (/\s/.test(c) || ((c === '(' || c === '-') && i === start))) start = i + 1;
  }
  return start;
}

/** Names that begin with a text, then those that contain it, as values of a term. */
function namesLike(text: string, names: readonly string[]): readonly Completion[] {
  const wanted = text.toLowerCase();
  const starting: string[] = [];
  const containing: string[] = [];
  const limit = Math.min(names.length, MOST_NAMES);
  for (let i = 0; i < limit && starting.length < MOST; i += 1) {
    const name = names[i]!;
    const at = name.toLowerCase().indexOf(wanted);
    if (at === 0) starting.push(name);
    else if (at > 0 && containing.length < MOST) containing.push(name);
  }
  const all = [...new Set([...starting, ...containing])].filter((name) => name !== '' && name !== text);
  return all.slice(0, MOST).map((name) => ({ text: quotedIfNeeded(name), meaning: '' }));
}
