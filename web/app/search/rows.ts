import { type ReadonlySignal, signal } from '@preact/signals';
import { formatCount, formatPercent, formatPosition, plural, shortened } from '../../base/format.ts';
import { inTurns, PORTION, type Portions } from '../../base/portions.ts';
import type { Dispose } from '../../base/scope.ts';
import { bringToFront, DETAILS, SQL_PANEL, VARIABLES } from '../../page/dock.ts';
import { type CommandContext, type Page, rowsOf, type SearchMode, type Start } from '../../page/page.ts';
import { showPlace } from '../../page/places.ts';
import { askedOf } from '../../page/starts.ts';
import type { ComboRow } from '../../parts/combo.tsx';
import { goalOf, goTo, goToName, goToPosition } from '../../timeline/go_to.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { knownOf } from '../../timeline/widgets/expression_field.tsx';
import { type Completion, type Completions, completionsOf, keyWords } from '../../trace/completion.ts';
import { insteadOf } from '../../trace/instead.ts';
import type { Names } from '../../trace/names.ts';
import { wordsOf } from '../../trace/near.ts';
import { isSql, wantedQuery } from '../../trace/wanted_query.ts';
import { offeredTo } from '../dock/panel.ts';
import { ranked } from './ranking.ts';
import { resourceWay, searchedOf, themeWay, waysOf } from './ways.ts';

export { addMoreCommands } from '../commands/more_commands.ts';

/** What a row does: it leads somewhere, runs something, or puts text in the field. */
export interface SearchRow extends ComboRow {
  /** Leads on from the row: a hit, a place. The field keeps the focus, so that Enter leads further. */
  readonly run?: () => void;
  /** The focus returns to where it was before it runs. */
  readonly leaves?: boolean;
  /** It is offered first the next time. */
  readonly isRemembered?: boolean;
  /** What the field has then, and where the caret is. */
  readonly put?: { readonly completions: Completions; readonly item: string };
}

/** What rows are made for. */
export interface Asked {
  readonly mode: SearchMode;
  readonly text: string;
  readonly caret: number;
  readonly open: OpenTrace | null;
  readonly page: Page;
  /** What commands act on: what was selected when the field was opened. */
  readonly context: CommandContext;
  /** Ids of what was chosen last, the latest first. */
  readonly recent: readonly string[];
  /** Names of variables, in traces that have values. */
  readonly variables: readonly string[];
  /** The questions of all features, once they are loaded. */
  readonly starts: readonly Start[];
  /** What {@link placesFor} returns for the text. It looks at many names, and the search is far more often further than before. */
  readonly places: readonly SearchRow[];
}

/** Most rows of a kind beside others, and of tracks and names if only places are wanted. */
const MOST = 4;
const MOST_PLACES = 20;
/** Characters of a text in a title. */
const LONGEST = 60;
const NOWHERE = { to: 'nowhere', sentence: '' } as const;
/** Most terms in the list of an empty field. */
const MOST_TERMS = 12;

/** Finds the places and names that a text may mean, in a mode. */
export function* placesFor(open: OpenTrace, text: string, mode: SearchMode): Portions<readonly SearchRow[]> {
  if (mode === 'commands' || isSql(text)) return [];
  return yield* places(open, text, mode === 'places' ? MOST_PLACES : MOST, mode === 'places');
}

/** What the field of the search offers for what was typed, the best first. Subscribes to how far the search is. */
export function rowsFor(asked: Asked): readonly SearchRow[] {
  const { mode, open } = asked;
  if (!open) return commandsAndPanels(asked, Number.POSITIVE_INFINITY);
  if (mode === 'commands') {
    return [
      ...commandsAndPanels(asked, Number.POSITIVE_INFINITY),
      ...questions(asked, open),
      ...tracks(asked, open, MOST_PLACES),
    ];
  }
  const text = asked.text.trim();
  if (mode === 'places') return [...asked.places, ...tracks(asked, open, MOST_PLACES)];
  if (text === '') return terms(asked, open);
  if (isSql(text)) return [sql(open, text, asked.page)];
  const leads = asked.places.filter(({ kind }) => kind === 'Place');
  // A number alone is more often something to look for.
  const isPlace = !/^[\d\s.,]+$/.test(text);
  const address = addresses(open, text);
  const resource = resourceWay(text, open, asked.page);
  return [
    ...(isPlace ? leads.map((row) => insteadOfSearch(row, open)) : []),
    ...(resource ? [insteadOfSearch({ ...resource, kind: 'Place', leaves: true }, open)] : []),
    ...found(open, asked.text),
    ...(isPlace ? [] : leads),
    ...address,
    ...terms(asked, open),
    ...instead(open, text, asked.variables),
    ...asked.places.filter((row) => !leads.includes(row)),
    ...variables(asked, open),
    ...(text.length > 1
      ? [...questions(asked, open), ...tracks(asked, open, MOST), ...commandsAndPanels(asked, MOST + 1)]
      : []),
  ];
}

/** A place in words that are not to be searched for as well, once the user goes there. */
function insteadOfSearch(row: SearchRow, { find }: OpenTrace): SearchRow {
  const run = () => {
    find.clear();
    row.run?.();
  };
  return { ...row, run };
}

/** The records that match, of which Enter selects the next. */
function found({ find }: OpenTrace, text: string): readonly SearchRow[] {
  const state = find.state.value;
  const isOf = find.asked.value === text;
  if (isOf && state.at === 'wrong') return [];
  const count = find.count.value;
  const hits = `${formatCount(count)} ${plural(count, 'hit')}`;
  const searching = state.at === 'searching' && (state.share === null ? '…' : ` · ${formatPercent(state.share, 1)}`);
  const about = !isOf || state.at === 'idle' ? '' : state.at === 'waiting' ? 'Waiting' : hits;
  return [
    {
      id: 'find-text',
      kind: 'Find',
      title: `Records that match “${shortened(text.trim(), LONGEST)}”`,
      about: `${about}${isOf && searching ? searching : ''}`,
      run: () => void find.step(1),
    },
  ];
}

/** What would have worked, if nothing was found or the text cannot be understood. */
function instead({ find, trace }: OpenTrace, text: string, variables: readonly string[]): readonly SearchRow[] {
  const state = find.state.value;
  if (find.asked.value.trim() !== text) return [];
  const isEmpty = state.at === 'done' && find.count.value === 0 && state.beyond === 0 && !state.stopped;
  // At the end, more is still to be typed.
  const isWrong = state.at === 'wrong' && state.wrong.at < text.length;
  if (!isEmpty && !isWrong) return [];
  const { names } = trace;
  const key = JSON.stringify([text, isWrong, names.text.length, names.version.peek(), variables]);
  let proposals = lastProposals.get(names);
  if (proposals?.key !== key) {
    proposals?.stop();
    const rows = signal<readonly SearchRow[]>([]);
    const show = (items: readonly Completion[]) => {
      rows.value = items.map(rowInstead);
    };
    const keys = keyWords(trace.info.peek());
    proposals = { key, rows, stop: inTurns(completionsInstead(text, isWrong, names, variables, keys), show) };
    lastProposals.set(names, proposals);
  }
  return proposals.rows.value;
}

/** The last proposals, by what they are about. They come later where there are many names. */
const lastProposals = new WeakMap<
  Names,
  { readonly key: string; readonly rows: ReadonlySignal<readonly SearchRow[]>; readonly stop: Dispose }
>();

function* completionsInstead(
  text: string,
  isWrong: boolean,
  names: Names,
  variables: readonly string[],
  keys: readonly string[],
): Portions<readonly Completion[]> {
  const words = [...(yield* wordsIn(names)), ...variables];
  return yield* insteadOf(text, isWrong, names.text, { words, keys });
}

function rowInstead({ text: item, meaning }: Completion): SearchRow {
  return {
    id: `instead ${item}`,
    kind: 'Try',
    title: item,
    about: meaning,
    isText: true,
    put: { completions: { from: 0, to: Number.POSITIVE_INFINITY, items: [] }, item },
  };
}

const knownWords = new WeakMap<Names, { readonly of: string; readonly words: readonly string[] }>();

/** The words of the names of a trace, which are found once as long as the names stay. */
function* wordsIn(names: Names): Portions<readonly string[]> {
  const of = `${names.text.length} ${names.version.peek()}`;
  let known = knownWords.get(names);
  if (known?.of !== of) {
    known = { of, words: yield* wordsOf(names.text) };
    knownWords.set(names, known);
  }
  return known.words;
}

/** Terms of the filter language that the term at the caret may become. Names have rows of their own. */
function terms({ text, caret }: Asked, open: OpenTrace): readonly SearchRow[] {
  const known = knownOf(open);
  const completions = completionsOf(text, caret, /name[:=]/i.test(text) ? known : { ...known, names: [] });
  return completions.items.slice(0, text.trim() === '' ? MOST_TERMS : MOST + 1).map(({ text: item, meaning }) => ({
    id: `term ${item}`,
    kind: 'Term',
    title: item,
    about: meaning,
    isText: true,
    put: { completions, item },
  }));
}

/** The position that the text is, and functions whose names it is a part of. */
function* places(open: OpenTrace, text: string, most: number, isNarrow: boolean): Portions<readonly SearchRow[]> {
  const { trace } = open;
  const info = trace.info.peek();
  const extent = trace.progress.peek().extent;
  const wanted = text.trim();
  if (!info || !extent || wanted === '') return [];
  const rows: SearchRow[] = [];
  // Positions, numbers and addresses have a digit. Other names are found below.
  const goal = isNarrow || /\d/.test(text) ? yield* goalOf(text, extent, info.clock, trace.names) : NOWHERE;
  if (goal.to === 'position') {
    rows.push({
      id: 'place',
      kind: 'Place',
      title: `Go to ${formatPosition(goal.at, extent.from, info.clock)}`,
      about: '',
      leaves: true,
      run: () => void goToPosition(goal.at, open),
    });
  }
  const { names } = trace;
  // `frame 5`: it is the name of one place.
  const isNumbered = goal.to === 'name' && /^\p{L}+ [\d,]+$/u.test(wanted);
  if (isNumbered) {
    const run = () => void goTo(wanted, open);
    rows.push({ id: 'place', kind: 'Place', title: `Go to ${wanted}`, about: '', leaves: true, run });
  }
  const kind = info.offers.includes('callStacks') ? 'Function' : 'Name';
  const isShort = wanted.length < 2 || isNumbered;
  // The name that is the text as a whole, or has this id or address, is the first.
  const first = goal.to === 'name' && !isNumbered ? [goal.name] : [];
  const like = isShort ? [] : (yield* namesLike(wanted, names.text, most)).filter((id) => id !== first[0]);
  for (const id of [...first, ...like].slice(0, most)) {
    rows.push({
      id: `name ${id}`,
      kind,
      title: shortened(names.of(id), LONGEST),
      about: 'Go to the next one',
      run: () => void goToName(id, open),
    });
  }
  return rows;
}

/** Numbers of the names that begin with a text, then of those that contain it. */
function* namesLike(text: string, names: readonly string[], most: number): Portions<readonly number[]> {
  const wanted = text.toLowerCase();
  const starting: number[] = [];
  const containing: number[] = [];
  for (let id = 0; id < names.length && starting.length < most; id += 1) {
    if (id > 0 && id % PORTION === 0) yield;
    const at = names[id]!.toLowerCase().indexOf(wanted);
    if (at === 0) starting.push(id);
    else if (at > 0 && containing.length < most) containing.push(id);
  }
  return [...starting, ...containing].slice(0, most);
}

/** The executions of an address, in traces of instructions. */
function addresses({ trace, find }: OpenTrace, text: string): readonly SearchRow[] {
  if (!/^0x[\da-f]+$/i.test(text) || !trace.info.peek()?.offers.includes('disassembly')) return [];
  return [
    {
      id: 'address',
      kind: 'Address',
      title: `Executions of ${text}`,
      about: `addr:${text}`,
      run: () => {
        find.ask(`addr:${text}`);
        void find.step(1);
      },
    },
  ];
}

function variables({ text, variables: names, page }: Asked, open: OpenTrace): readonly SearchRow[] {
  const wanted = text.trim();
  const titles = names.map((name) => ({ id: `variable ${name}`, title: name }));
  return ranked(titles, wanted, [], MOST).map(({ id, title }) => ({
    id,
    kind: 'Variable',
    title,
    about: 'Its values',
    leaves: true,
    run: () => {
      showPlace({ to: 'variable', name: title }, open, page);
      focusSoon(`tab-${VARIABLES}`);
    },
  }));
}

/** Questions that the trace answers, by their words and those of the way to the answer. */
function questions({ mode, text, starts, page }: Asked, open: OpenTrace): readonly SearchRow[] {
  if (open.trace.status.value.at === 'loading') return [];
  const all = askedOf(starts, open, page).map(({ start, asked }) => {
    const id = `question ${start.id}`;
    return { id, title: searchedOf(id, `${asked.words} ${asked.way}`), start, asked };
  });
  return ranked(all, text, [], MOST + 1, mode === 'all').map(({ id, start, asked }) => ({
    id,
    kind: 'Question',
    title: asked.words,
    about: asked.figure ?? '',
    leaves: true,
    run: () => start.answer(open, page),
  }));
}

function sql(open: OpenTrace, text: string, { dock }: Page): SearchRow {
  return {
    id: 'sql',
    kind: 'SQL',
    title: `Run “${shortened(text, LONGEST)}”`,
    about: 'In the SQL panel',
    leaves: true,
    run: () => {
      wantedQuery(open).value = text;
      bringToFront(dock, open.trace.info.peek()?.format, SQL_PANEL);
      focusSoon(`tab-${SQL_PANEL}`);
    },
  };
}

function tracks(
  { mode, text, context: { surface } }: Asked,
  { timeline }: OpenTrace,
  most: number,
): readonly SearchRow[] {
  if (text.trim() === '') return [];
  const all = timeline.arrangement.ordered
    .peek()
    .map((track) => ({ id: `track ${track.id}`, title: `Go to ${shortened(track.name)}`, track }));
  return ranked(all, text, [], most, mode === 'all').map(({ id, title, track }) => ({
    id,
    kind: 'Track',
    title,
    about: track.detail === '' ? '' : shortened(track.detail),
    leaves: true,
    run: () => surface?.goToTrack(track.id),
  }));
}

/** Commands that have an effect now, and panels. */
function commandsAndPanels({ mode, text, recent, page, context, open }: Asked, most: number): readonly SearchRow[] {
  const commands = page.commands
    .filter(({ id, enabled }) => id !== 'show-palette' && enabled(context))
    .map((command): SearchRow => {
      const about = command.about?.(context) ?? '';
      const chord = command.keys[0] ?? null;
      const run = () => command.run(context);
      return { id: command.id, kind: 'Command', title: command.title, about, chord, run };
    });
  const panels = open ? [...panelsOf(open, page), ...panesOf(open, page)] : [];
  const ways = [...(open ? waysOf(open, page) : []), themeWay(page)].map(
    (way): SearchRow => ({ ...way, kind: 'Command' }),
  );
  const rows = [...commands, ...panels, ...ways].map((row) => ({
    id: row.id,
    title: searchedOf(row.id, row.kind === 'Command' ? `${row.title} ${row.about}` : row.title),
    row,
  }));
  return ranked(rows, text, recent, most, mode === 'all').map(({ row }) => ({
    ...row,
    leaves: true,
    isRemembered: true,
  }));
}

function panelsOf(open: OpenTrace, page: Page): readonly SearchRow[] {
  const info = open.trace.info.peek();
  if (!info) return [];
  return offeredTo(open, rowsOf(page, 'panels')).map((panel) => ({
    id: `panel ${panel.id}`,
    kind: 'Panel',
    title: `Show ${panel.titleFor?.(open) ?? panel.title}`,
    about: '',
    run: () => {
      bringToFront(page.dock, info.format, panel.id);
      focusSoon(`tab-${panel.id}`);
    },
  }));
}

/** What the pane about the selection can show, if there is a choice. */
function panesOf(open: OpenTrace, page: Page): readonly SearchRow[] {
  const panes = offeredTo(open, rowsOf(page, 'panes'));
  if (panes.length === 0) return [];
  return [{ id: DETAILS, title: 'Details' }, ...panes].map(({ id, title }) => ({
    id: `pane ${id}`,
    kind: 'Panel',
    title: `Show ${title}`,
    about: 'About the selection',
    run: () => {
      page.dock.pane.value = id;
      focusSoon(`tab-of-${id}`);
    },
  }));
}

/** Moves the focus to a tab once it is there. The tab key leads on into what it shows. */
function focusSoon(id: string): void {
  requestAnimationFrame(() => document.getElementById(id)?.focus());
}
