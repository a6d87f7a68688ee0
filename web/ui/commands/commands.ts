import type { CommandContext, TraceActions } from './context.ts';
import { ITEM_COMMANDS } from './item_commands.ts';
import { LANE_COMMANDS } from './lane_commands.ts';
import { TRACK_COMMANDS } from './track_commands.ts';
import { WALK_COMMANDS } from './walk_commands.ts';

/**
 * A key with its modifier: a `KeyboardEvent.key` in lower case, after `ctrl `, `shift ` or `alt ` if it needs Ctrl (or Command),
 * Shift or Alt. Function keys may need two: `ctrl shift `.
 */
export type Chord = string;

/** Something that the user can do, by keyboard, from a menu or from a palette. */
export interface Command {
  /** Stable word for menus, tests and links. */
  readonly id: string;
  /** Verb and object in sentence case. */
  readonly title: string;
  /** The keys in the order of the sheet. */
  readonly keys: readonly Chord[];
  /** Further keys, which the sheet leaves out. */
  readonly alsoKeys?: readonly Chord[];
  /** What it would act on now, such as the name of a track. */
  readonly about?: (context: CommandContext) => string;
  /** The title in a menu, where it is clear what the command acts on. */
  readonly inMenu?: string;
  /** The keys work while a dialog is open. */
  readonly overDialogs?: boolean;
  /** Whether the command has an effect now. A disabled command leaves its keys to the browser. */
  readonly enabled: (context: CommandContext) => boolean;
  readonly run: (context: CommandContext) => void;
}

/** Part of the timeline's width that a key pans. */
const PAN = 0.2;
const ZOOM = 1.6;
/** Rows of slices that a key scrolls. */
const ROWS = 10;

/** All commands of the page. */
export const COMMANDS = [
  {
    id: 'open-file',
    title: 'Open a trace',
    keys: ['ctrl o'],
    overDialogs: true,
    enabled: () => true,
    run: ({ page }) => page.chooseFile(),
  },
  {
    id: 'show-keys',
    title: 'Show keys',
    keys: ['?'],
    overDialogs: true,
    enabled: () => true,
    run: ({ page }) => page.toggleKeys(),
  },
  {
    id: 'show-palette',
    title: 'Show all commands',
    keys: ['ctrl k'],
    enabled: () => true,
    run: ({ page }) => page.showPalette(),
  },
  {
    id: 'copy-link',
    title: 'Copy a link to this view',
    keys: [],
    enabled: ({ page }) => page.canLink(),
    run: ({ page }) => page.copyLink(),
  },
  {
    id: 'nest-tail-calls',
    title: 'Show tail calls under their callers',
    keys: [],
    enabled: ({ page }) => page.tailCalls() === 'beside',
    run: ({ page }) => page.putTailCalls('under'),
  },
  {
    id: 'unnest-tail-calls',
    title: 'Show tail calls beside their callers',
    keys: [],
    enabled: ({ page }) => page.tailCalls() === 'under',
    run: ({ page }) => page.putTailCalls('beside'),
  },
  onTrace('zoom-in', 'Zoom in', ['w'], (trace) => trace.zoom(1 / ZOOM), { alsoKeys: ['+', '='] }),
  onTrace('zoom-out', 'Zoom out', ['s'], (trace) => trace.zoom(ZOOM), { alsoKeys: ['-'] }),
  onTrace('pan-left', 'Pan left', ['a', 'arrowleft'], (trace) => trace.pan(-PAN)),
  onTrace('pan-right', 'Pan right', ['d', 'arrowright'], (trace) => trace.pan(PAN)),
  onTrace('scroll-up', 'Scroll the tracks up', ['pageup'], (trace) => trace.scroll(-ROWS)),
  onTrace('scroll-down', 'Scroll the tracks down', ['pagedown'], (trace) => trace.scroll(ROWS)),
  onTrace('show-whole', 'Show the whole trace', ['0'], (trace) => trace.showWhole()),
  onTrace('go-to', 'Go to a position or a name', ['g'], (trace) => trace.goTo()),
  onTrace('back', 'Back', ['alt arrowleft'], (trace) => trace.back(), { needs: 'back' }),
  onTrace('forward', 'Forward', ['alt arrowright'], (trace) => trace.forward(), { needs: 'forward' }),
  onTrace('find', 'Find', ['ctrl f', '/'], (trace) => trace.find()),
  onTrace('find-next', 'Select the next hit', ['f3'], (trace) => trace.findStep(1), { needs: 'hits' }),
  onTrace('find-previous', 'Select the previous hit', ['shift f3'], (trace) => trace.findStep(-1), { needs: 'hits' }),
  onTrace('fit-selection', 'Zoom to the selection', ['f'], (trace) => trace.fitSelection(), { needs: 'selection' }),
  onTrace('select-first', 'Select the first call on the screen', ['enter'], (trace) => trace.selectFirst(), {
    needs: 'no selection',
  }),
  onTrace('select-above', 'Select in the row above', ['arrowup'], (trace) => firstOr(trace, () => trace.stepRow(-1))),
  onTrace('select-below', 'Select in the row below', ['arrowdown'], (trace) => firstOr(trace, () => trace.stepRow(1))),
  onTrace('select-next', 'Select the next in the row', ['.'], (trace) => trace.step('next'), { needs: 'selection' }),
  onTrace('select-previous', 'Select the previous in the row', [','], (trace) => trace.step('previous'), {
    needs: 'selection',
  }),
  onTrace('select-caller', 'Select the caller', ['['], (trace) => trace.step('caller'), { needs: 'selection' }),
  onTrace('select-callee', 'Select the longest callee', [']'], (trace) => trace.step('callee'), {
    needs: 'selection',
  }),
  onTrace('select-range', 'Set range to the selection, or to the visible area', ['r'], (trace) => trace.selectRange(), {
    inMenu: 'Set range to this',
  }),
  onTrace('measure', 'Measure from the selection', ['x'], (trace) => trace.measure(), {
    needs: 'selection',
    inMenu: 'Measure from here',
  }),
  onTrace('add-note', 'Add a note at the selection or the pointer', ['m'], (trace) => trace.addNote(), {
    inMenu: 'Add a note',
  }),
  onTrace('keep-range', 'Keep the range as a note', ['shift m'], (trace) => trace.keepRange(), { needs: 'range' }),
  onTrace('clear-latest', 'Clear selection or range', ['escape'], (trace) => trace.clearLatest()),
  ...TRACK_COMMANDS,
  ...LANE_COMMANDS,
  ...ITEM_COMMANDS,
  ...WALK_COMMANDS,
] as const satisfies readonly Command[];

/** Steps from the selection, or makes one. */
function firstOr(trace: TraceActions, step: () => Promise<void>): void {
  if (trace.hasSelection.peek()) void step();
  else trace.selectFirst();
}

/** The id of one of the {@link COMMANDS}. */
export type CommandId = (typeof COMMANDS)[number]['id'];

/** The command with an id. */
export function commandOf(id: CommandId): Command {
  return COMMANDS.find((command) => command.id === id)!;
}

interface TraceOptions {
  readonly alsoKeys?: readonly Chord[];
  readonly inMenu?: string;
  /** What the command has no effect without. */
  readonly needs?: keyof typeof NEEDS;
}

/** What some commands need besides a trace. */
const NEEDS = {
  selection: (trace) => trace.hasSelection.peek(),
  'no selection': (trace) => !trace.hasSelection.peek(),
  hits: (trace) => trace.hasHits.peek(),
  range: (trace) => trace.canKeepRange.peek(),
  back: (trace) => trace.canGoBack.peek(),
  forward: (trace) => trace.canGoForward.peek(),
} satisfies Record<string, (trace: TraceActions) => boolean>;

/** A command that needs a trace on the screen. */
function onTrace<const Id extends string>(
  id: Id,
  title: string,
  keys: readonly Chord[],
  run: (trace: TraceActions) => void,
  { alsoKeys = [], inMenu = title, needs }: TraceOptions = {},
): Command & { readonly id: Id } {
  return {
    id,
    title,
    keys,
    alsoKeys,
    inMenu,
    enabled: ({ trace }) => trace !== null && (needs === undefined || NEEDS[needs](trace)),
    run: ({ trace }) => {
      if (trace) run(trace);
    },
  };
}
