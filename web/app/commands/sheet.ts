import type { Command, Page, SheetGroup } from '../../page/page.ts';
import { labelsOf } from '../../parts/chord.ts';

/** A line of the sheet of keys. */
export interface SheetRow {
  /** Alternatives, each some chords of keys or gestures by their labels: `[[['A'], ['D']], [['Alt', '←'], ['Alt', '→']]]`. */
  readonly keys: readonly (readonly (readonly string[])[])[];
  readonly does: string;
}

/** A part of the sheet with a heading, and its lines. */
interface SheetPart extends Pick<SheetGroup, 'title' | 'ofSteps'> {
  readonly rows: readonly SheetRow[];
}

/** The groups of the page itself. Those of features are between them. */
const GROUPS: readonly SheetGroup[] = [
  {
    title: 'Move',
    place: 1,
    first: [
      ['Drag', 'Pan'],
      ['Wheel', 'Scroll the tracks, or zoom if all of them fit'],
      ['Ctrl Wheel', 'Zoom at the pointer'],
      ['Shift Wheel', 'Scroll sideways'],
    ],
  },
  {
    title: 'Select',
    place: 2,
    first: [
      ['Click', 'Select'],
      ['Double-click', 'Zoom to the item under the pointer'],
    ],
  },
  { title: 'Tracks', place: 4, last: [['Drag', 'Move a track, by its name']] },
  {
    title: 'Range and lengths',
    place: 6,
    first: [
      ['Shift Drag', 'Select a range; its edges can be dragged'],
      ['Drag', 'Select a range, on the ruler'],
      ['Ctrl', 'While dragging: do not snap to slices'],
      ['Shift Click', 'Measure from the selection to a slice'],
    ],
  },
  {
    title: 'Details',
    place: 10,
    first: [
      ['↑ ↓ Home End', 'Go to another value'],
      ['Enter', 'Copy the value'],
    ],
  },
  { title: 'Page', place: 11, first: [['Ctrl V', 'Open the file or the link in the clipboard']] },
];

/** Other ways to open a menu than a command has. */
const MENU: SheetRow = { keys: [[['Right-click']], [['Shift', 'F10']]], does: 'Open context menu' };

/**
 * The sheet of keys: commands with their keys, and the gestures and keys of single controls. Commands with keys that no group
 * has come last.
 */
export function sheetOf({ features, commands }: Pick<Page, 'features' | 'commands'>): readonly SheetPart[] {
  const groups = [...GROUPS, ...features.flatMap(({ sheet }) => sheet ?? [])].sort((a, b) => a.place - b.place);
  const parts = groups.map(({ title, ofSteps, first = [], last = [] }): SheetPart => {
    const own = rowsOf(commands.filter(({ sheet }) => sheet?.group === title));
    const rows = [...first.map(gesture), ...own, ...last.map(gesture), ...(title === 'Page' ? [MENU] : [])];
    return { title, rows, ...(ofSteps ? { ofSteps } : {}) };
  });
  const others = commands.filter(({ keys, sheet }) => !sheet && keys.length > 0);
  return others.length === 0 ? parts : [...parts, { title: 'More', rows: rowsOf(others) }];
}

/** A row for what only one control or the pointer does. */
function gesture([keys, does]: readonly [string, string]): SheetRow {
  return { keys: [[keys.split(' ')]], does };
}

/** The rows of commands. Those that say the same are one: their first keys are one alternative, their second keys another. */
function rowsOf(commands: readonly Command[]): readonly SheetRow[] {
  const rows = new Map<string, (readonly string[])[]>();
  for (const { title, sheet, keys } of commands) {
    const does = sheet?.does ?? title;
    rows.set(does, [...(rows.get(does) ?? []), keys]);
  }
  return [...rows].map(([does, all]) => ({
    does,
    keys: Array.from({ length: Math.max(...all.map((keys) => keys.length)) }, (_, i) =>
      all.flatMap((keys) => (keys[i] ? [labelsOf(keys[i])] : [])),
    ),
  }));
}
