import { hasSelection, isOnLane, onTrace, openSearch } from '../../page/commands.ts';
import type { Command, Page, Surface } from '../../page/page.ts';
import { SLICE_ROW, trackAt } from '../../timeline/layout.ts';
import { rangeAround } from '../../timeline/measure.ts';
import { rangeBetween } from '../../trace/view.ts';
import { KEEP_COMMANDS } from '../keep/commands.ts';
import { ITEM_COMMANDS } from './item_commands.ts';

/** Part of the timeline's width that a key pans. */
const PAN = 0.2;
const ZOOM = 1.6;
/** Rows of slices that a key scrolls. */
const ROWS = 10;

const move = (does?: string) => ({ sheet: { group: 'Move', ...(does ? { does } : {}) } });
const STEPPING = { sheet: { group: 'Tracks', does: 'Go to the next, previous track' } };
const select = (does?: string) => ({ sheet: { group: 'Select', ...(does ? { does } : {}) } });

/** The commands on an open trace and its timeline that have keys, or that more than menus run. Features have more: see `Page.commands`. */
export const TRACE_COMMANDS: readonly Command[] = [
  {
    id: 'copy-link',
    title: 'Copy a link to this view',
    keys: [],
    enabled: ({ page }) => openOn(page)?.memory.identity.peek() != null,
    run: ({ page }) => void import('../../page/address.ts').then(({ copyLink }) => copyLink(page)),
  },
  onTrace('zoom-in', 'Zoom in', ['w'], zoomBy(1 / ZOOM), { alsoKeys: ['+', '='], ...move('Zoom in, zoom out') }),
  onTrace('zoom-out', 'Zoom out', ['s'], zoomBy(ZOOM), { alsoKeys: ['-'], ...move('Zoom in, zoom out') }),
  onTrace('pan-left', 'Pan left', ['a', 'arrowleft'], panBy(-PAN), move('Pan left, pan right')),
  onTrace('pan-right', 'Pan right', ['d', 'arrowright'], panBy(PAN), move('Pan left, pan right')),
  onTrace('scroll-up', 'Scroll the tracks up', ['pageup'], scrollBy(-ROWS), move('Scroll the tracks')),
  onTrace('scroll-down', 'Scroll the tracks down', ['pagedown'], scrollBy(ROWS), move('Scroll the tracks')),
  onTrace('show-whole', 'Show the whole trace', ['0'], ({ open }) => open.timeline.showWhole(), {
    part: 'range',
    ...move(),
  }),
  onTrace('go-to', 'Go to a position or a name', ['g', 'ctrl p'], (_, page) => openSearch(page, 'places'), move()),
  onTrace('back', 'Back', ['alt arrowleft'], ({ visits }) => visits.back(), {
    needs: ({ visits }) => visits.canGoBack.peek(),
    ...move('Go back, go forward'),
  }),
  onTrace('forward', 'Forward', ['alt arrowright'], ({ visits }) => visits.forward(), {
    needs: ({ visits }) => visits.canGoForward.peek(),
    ...move('Go back, go forward'),
  }),
  undoes('undo', 'Undo', ['ctrl z'], 'undoable'),
  undoes('redo', 'Redo', ['ctrl shift z', 'ctrl y'], 'redoable'),
  onTrace('fit-selection', 'Zoom to the selection', ['f'], fitSelection, {
    needs: hasSelection,
    part: 'selection',
    ...select(),
  }),
  onTrace('select-first', 'Select the first call on the screen', ['enter'], (surface) => surface.selectFirst(), {
    needs: (surface) => !hasSelection(surface),
    ...select(),
  }),
  onTrace(
    'select-above',
    'Select in the row above',
    ['arrowup'],
    stepRow(-1),
    select('Select in the row above, below'),
  ),
  onTrace(
    'select-below',
    'Select in the row below',
    ['arrowdown'],
    stepRow(1),
    select('Select in the row above, below'),
  ),
  onTrace('select-next', 'Select the next in the row', ['.'], (surface) => void surface.step('next'), {
    needs: hasSelection,
    ...select('Select the next, previous in the row'),
  }),
  onTrace('select-previous', 'Select the previous in the row', [','], (surface) => void surface.step('previous'), {
    needs: hasSelection,
    ...select('Select the next, previous in the row'),
  }),
  onTrace('select-caller', 'Select the caller', ['['], (surface) => void surface.step('caller'), {
    needs: hasCaller,
    part: 'step',
    ...select('Select the caller, longest callee'),
  }),
  onTrace('select-callee', 'Select the longest callee', [']'], (surface) => void surface.step('callee'), {
    needs: hasCaller,
    part: 'step',
    ...select('Select the caller, longest callee'),
  }),
  onTrace('measure', 'Measure from the selection', ['x'], measure, {
    needs: hasSelection,
    inMenu: 'Measure from here',
    part: 'measure',
    sheet: { group: 'Range and lengths' },
  }),
  onTrace('select-range', 'Set range to the selection, or to the visible area', ['r'], selectRange, {
    inMenu: 'Set range to this',
    part: 'selection',
    sheet: { group: 'Range and lengths' },
  }),
  onTrace('range-of-screen', 'Set range to visible area', [], selectScreen, { part: 'range' }),
  onTrace('clear-range', 'Clear range', [], clearRange, {
    needs: ({ open }) => open.statistics.range.peek() !== null,
    part: 'clear range',
  }),
  onTrace('clear-latest', 'Clear selection or range', ['escape'], (surface) => surface.clearLatest(), select()),
  onTrace('next-track', 'Go to the next track', ['j'], (surface) => stepTrack(surface, 1), STEPPING),
  onTrace('previous-track', 'Go to the previous track', ['k'], (surface) => stepTrack(surface, -1), STEPPING),
  ...ITEM_COMMANDS,
  ...KEEP_COMMANDS,
];

/** Adds the commands on a trace to those of the page, once, between those that need none and those of features. */
export function addTraceCommands({ commands }: Pick<Page, 'commands'>): void {
  if (commands.includes(TRACE_COMMANDS[0]!)) return;
  commands.splice(commands.findIndex(({ id }) => id === 'show-help') + 1, 0, ...TRACE_COMMANDS);
}

/** Whether what is selected may have a caller and callees. */
function hasCaller(surface: Surface): boolean {
  return hasSelection(surface) && !isOnLane(surface);
}

/** Takes back the latest act on the trace, or does it again. Its words are what the command is about. */
function undoes(id: 'undo' | 'redo', title: string, keys: Command['keys'], words: 'undoable' | 'redoable'): Command {
  const wordsIn = (surface: Surface | null) => surface?.undo[words].peek() ?? '';
  return {
    ...onTrace(id, title, keys, ({ undo }) => undo[id](), {
      needs: (surface) => wordsIn(surface) !== '',
      part: 'take back',
      sheet: { group: 'Page' },
    }),
    about: ({ surface }) => wordsIn(surface),
    saysAbout: true,
  };
}

/** The open trace of a page, or null. */
export function openOn({ workbench }: Page) {
  const bench = workbench.bench.peek();
  return bench.at === 'open' ? bench.open : null;
}

/** Makes the next (1) or previous (-1) track the current one, and brings it into view. */
function stepTrack({ open: { timeline }, goToTrack }: Surface, by: 1 | -1): void {
  const { tracks } = timeline.layout.peek();
  const at = tracks.findIndex(({ track }) => track.id === timeline.arrangement.current.peek());
  // Without a current track, the first step leads to the first one on the screen.
  const first = tracks.indexOf(trackAt(timeline.layout.peek(), timeline.placeAt(0))!);
  const next = tracks[at < 0 ? Math.max(0, first) : at + by];
  if (next) goToTrack(next.track.id);
}

/** Zooms at the middle of the timeline; a `factor` above 1 shows more. */
function zoomBy(factor: number): (surface: Surface) => void {
  return ({ open: { timeline } }) => timeline.zoom(timeline.size.peek().width / 2, factor, 'gliding');
}

/** Moves the view by a part of its width; negative is to the left. */
function panBy(part: number): (surface: Surface) => void {
  return ({ open: { timeline } }) => timeline.glideBy(part * timeline.size.peek().width);
}

/** Scrolls the tracks by rows of slices; negative is up. */
function scrollBy(rows: number): (surface: Surface) => void {
  return (surface) => surface.scrollBy(rows * SLICE_ROW);
}

/** Steps from the selection, or makes one. */
function stepRow(by: 1 | -1): (surface: Surface) => void {
  return (surface) => {
    if (hasSelection(surface)) void surface.stepRow(by);
    else surface.selectFirst();
  };
}

function fitSelection({ open: { selection, timeline }, bringIntoView }: Surface): void {
  const selected = selection.selected.peek();
  if (!selected) return;
  if (selected.end !== null) timeline.show({ from: selected.start, to: selected.end });
  else bringIntoView(selected);
}

/** Measures lengths from the selection to those that follow. */
function measure({ open: { selection } }: Surface): void {
  selection.anchor.value = selection.place();
}

/** Makes the selected slice the range, or all that is measured, or else what is on the screen. */
function selectRange(surface: Surface): void {
  const { selection, statistics } = surface.open;
  const selected = selection.selected.peek();
  const anchor = selection.anchor.peek();
  const place = selection.place();
  if (anchor && place) statistics.range.value = rangeAround(anchor, place);
  else if (surface.open.timeline.view.peek() && selected && selected.end !== null && selected.end > selected.start) {
    statistics.range.value = { from: selected.start, to: selected.end };
  } else selectScreen(surface);
}

/** Makes what is on the screen the range. */
function selectScreen({ open: { timeline, statistics } }: Surface): void {
  const view = timeline.view.peek();
  const whole = timeline.whole.peek();
  if (view && whole) statistics.range.value = rangeBetween(view, whole, 0, timeline.size.peek().width);
}

function clearRange({ open: { statistics } }: Surface): void {
  statistics.range.value = null;
}
