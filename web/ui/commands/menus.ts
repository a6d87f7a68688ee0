import type { CommandId } from './commands.ts';

/** The commands of a menu; null separates groups. A disabled command is left out. */
export type Menu = readonly (CommandId | null)[];

const SHOWING = ['pin-track', 'unpin-track', 'hide-track', 'show-only-track', 'show-all-tracks'] as const;
const FOLDING = ['fold-track', 'unfold-track', 'compact-track', 'full-track'] as const;
const VALUES = [
  'values-decimal',
  'values-hex',
  'values-unsigned',
  'values-signed',
  'values-float',
  'values-characters',
  'values-dots',
  'values-steps',
  'values-log',
  'values-linear',
  'values-tall',
  'values-low',
] as const;
const TAIL_CALLS = ['nest-tail-calls', 'unnest-tail-calls'] as const;
const LANES = ['keep-cpus', 'remove-cpus', 'keep-events', 'remove-events'] as const;
const RANGE = ['show-whole', 'range-of-screen', 'keep-range', 'clear-range'] as const;

/** What is offered for what was clicked. */
export const MENUS = {
  item: [
    'fit-selection',
    'select-range',
    null,
    'find-same-name',
    'list-calls',
    'list-occurrences',
    'highlight-name',
    'keep-calls',
    'keep-events-of-type',
    null,
    'select-caller',
    'select-callee',
    'measure',
    'add-note',
    null,
    'copy-name',
    'copy-position',
  ],
  track: [
    ...SHOWING,
    null,
    ...VALUES,
    null,
    ...FOLDING,
    'move-track-up',
    'move-track-down',
    null,
    'fold-all-tracks',
    'unfold-all-tracks',
    'compact-all-tracks',
    'full-all-tracks',
    'filter-tracks',
    null,
    'keep-cpus-of-track',
    ...LANES,
    null,
    ...TAIL_CALLS,
    null,
    'copy-track-name',
  ],
  area: [
    ...RANGE,
    null,
    ...VALUES,
    null,
    ...SHOWING,
    null,
    ...FOLDING,
    null,
    'keep-cpus-of-track',
    ...LANES,
    null,
    ...TAIL_CALLS,
  ],
  whole: [...RANGE, null, ...LANES, null, ...TAIL_CALLS],
  row: [
    'show-row',
    null,
    'find-same-name',
    'find-same-value',
    'narrow-to-value',
    null,
    'list-calls',
    'highlight-name',
    'keep-calls',
    'keep-events-of-type',
    null,
    'copy-row',
    'copy-name',
  ],
  table: ['copy-table', 'save-table'],
} as const satisfies Record<string, Menu>;
