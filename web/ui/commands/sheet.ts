import { type Chord, COMMANDS, type Command, type CommandId, commandOf } from './commands.ts';

/** A line of the sheet of keys. */
export interface SheetRow {
  /** Alternatives, each some chords of keys or gestures by their labels: `[[['A'], ['D']], [['Alt', '←'], ['Alt', '→']]]`. */
  readonly keys: readonly (readonly (readonly string[])[])[];
  readonly does: string;
}

/** A part of the sheet with a heading. */
export interface SheetGroup {
  readonly title: string;
  /** It is only about traces that consist of steps to walk through. */
  readonly ofSteps?: true;
  readonly rows: readonly SheetRow[];
}

const LABELS: Readonly<Record<string, string>> = {
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
  pageup: 'Page Up',
  pagedown: 'Page Down',
};

const GROUPS: readonly SheetGroup[] = [
  {
    title: 'Move',
    rows: [
      gesture('Drag', 'Pan'),
      gesture('Wheel', 'Zoom at the pointer'),
      gesture('Shift Wheel', 'Scroll sideways'),
      gesture('Alt Wheel', 'Scroll the tracks'),
      commands(['zoom-in', 'zoom-out'], 'Zoom in, zoom out'),
      commands(['pan-left', 'pan-right'], 'Pan left, pan right'),
      commands(['scroll-up', 'scroll-down'], 'Scroll the tracks'),
      commands(['show-whole']),
      commands(['go-to']),
      commands(['back', 'forward'], 'Go back, go forward'),
    ],
  },
  {
    title: 'Select',
    rows: [
      gesture('Click', 'Select'),
      gesture('Double-click', 'Zoom to the item under the pointer'),
      commands(['fit-selection']),
      commands(['select-first']),
      commands(['select-above', 'select-below'], 'Select in the row above, below'),
      commands(['select-next', 'select-previous'], 'Select the next, previous in the row'),
      commands(['select-caller', 'select-callee'], 'Select the caller, longest callee'),
      commands(['clear-latest']),
    ],
  },
  {
    title: 'Walk through instructions',
    ofSteps: true,
    rows: [
      commands(['step-over', 'step-over-back'], 'Step over, backwards'),
      commands(['step-into', 'step-into-back'], 'Step into, backwards'),
      commands(['step-out', 'step-out-back'], 'Step out, backwards'),
      commands(['next-execution', 'previous-execution'], 'Next, previous execution of this address'),
      commands(['next-system-call', 'previous-system-call'], 'Next, previous system call'),
      commands(['next-interrupt', 'previous-interrupt'], 'Next, previous interrupt or fault'),
      commands(['fold-loops']),
      gesture('Enter', 'Open a fold; fold the loop or call that begins here (Listing)'),
    ],
  },
  {
    title: 'Tracks',
    rows: [
      commands(['next-track', 'previous-track'], 'Go to the next, previous track'),
      gesture('Drag', 'Move a track, by its name'),
    ],
  },
  {
    title: 'Find',
    rows: [commands(['find']), commands(['find-next', 'find-previous'], 'Select the next or previous hit')],
  },
  {
    title: 'Range and lengths',
    rows: [
      gesture('Shift Drag', 'Select a range; its edges can be dragged'),
      gesture('Ctrl', 'While dragging: do not snap to slices'),
      gesture('Shift Click', 'Measure from the selection to a slice'),
      commands(['measure']),
      commands(['select-range']),
    ],
  },
  {
    title: 'Notes',
    rows: [commands(['add-note']), commands(['keep-range'])],
  },
  {
    title: 'Functions and Tree',
    rows: [
      gesture('↑ ↓', 'Go from row to row'),
      gesture('← →', 'Collapse, expand a row of the tree'),
      gesture('*', 'Expand all rows of its level, then all below it'),
      gesture('A … Z', 'In the tree: go to a function by its first letters'),
      gesture('Enter', 'List the calls of the function'),
      gesture('Escape', 'Leave that list'),
    ],
  },
  {
    title: 'Flame graph',
    rows: [
      gesture('Click', 'Zoom to a function'),
      gesture('↑ ↓ ← →', 'Go to caller, callee, neighbours'),
      gesture('Enter', 'Zoom in; in time order: select the call'),
      gesture('Z', 'In time order: set range to the call'),
      gesture('Escape', 'Zoom out'),
    ],
  },
  {
    title: 'Details',
    rows: [gesture('↑ ↓ Home End', 'Go to another value'), gesture('Enter', 'Copy the value')],
  },
  {
    title: 'Page',
    rows: [
      commands(['open-file']),
      commands(['show-palette']),
      { keys: [[['Right-click']], [['Shift', 'F10']]], does: 'Open context menu' },
      commands(['show-keys']),
    ],
  },
];

/**
 * The sheet of keys: commands with the keys of the registry, and the gestures and keys of single controls. Commands that no
 * group has come last.
 */
export const SHEET: readonly SheetGroup[] = withOthers(GROUPS);

/** The labels of a chord's keys: `['Ctrl', 'O']`. */
export function labelsOf(chord: Chord): readonly string[] {
  return chord.split(' ').map((key) => LABELS[key] ?? key.charAt(0).toUpperCase() + key.slice(1));
}

/** A row for what only one control or the pointer does; `keys` are the labels of a chord with spaces between. */
function gesture(keys: string, does: string): SheetRow {
  return { keys: [[keys.split(' ')]], does };
}

/**
 * A row for commands that belong together: their first keys are one alternative, their second keys another. It says what
 * `does` says, or else the title of the only command.
 */
function commands(ids: readonly CommandId[], does = ids.map((id) => commandOf(id).title).join(', ')): SheetRow {
  const all = ids.map((id) => commandOf(id).keys);
  const alternatives = Math.max(...all.map((keys) => keys.length));
  return {
    keys: Array.from({ length: alternatives }, (_, i) => all.flatMap((keys) => (keys[i] ? [labelsOf(keys[i])] : []))),
    does,
  };
}

function withOthers(groups: readonly SheetGroup[]): readonly SheetGroup[] {
  const listed = new Set(groups.flatMap(({ rows }) => rows.flatMap(({ keys }) => keys.flat(2))));
  const isListed = ({ keys }: Command) => keys.every((chord) => labelsOf(chord).every((key) => listed.has(key)));
  // One without keys is in menus only.
  const others = COMMANDS.filter((command) => !isListed(command));
  if (others.length === 0) return groups;
  return [...groups, { title: 'More', rows: others.map(({ id }) => commands([id])) }];
}
