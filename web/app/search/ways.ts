import type { ResourceKind } from '../../base/survey_protocol.ts';
import { chooseView, hasView, VIEWS } from '../../features/calls/views.ts';
import { PICTURE_VIEWS, pictureView } from '../../features/pictures/picture_view.ts';
import { bringToFront, FUNCTIONS } from '../../page/dock.ts';
import type { Page } from '../../page/page.ts';
import { canShow, showPlace } from '../../page/places.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { KINDS } from '../../trace/resource_titles.ts';

/** A view of the page, or something to do, that is neither a command nor a panel. */
export interface Way {
  readonly id: string;
  readonly title: string;
  /** The part of the page that has it. */
  readonly about: string;
  readonly run: () => void;
}

/** Words of other programs and of the field for what panels, commands and questions are about, by their ids: those that their titles have not. */
const WORDS: Readonly<Record<string, string>> = {
  'panel calls': 'profile self total time hot spots percentiles histogram durations sandwich callers callees',
  'panel differences': 'compare diff regression',
  'panel events': 'log records calls arguments instructions disassembly',
  'panel frames': 'fps draws passes heavy slow',
  'panel resources': 'textures buffers shaders leaks memory images mesh uploads not deleted',
  'panel statements': 'lines code invariants',
  'panel variables': 'values graph watch buffers histogram',
  'panel coverage': 'blocks executed never ran drcov lcov',
  'panel query': 'sql tables database',
  'panel findings': 'problems anomalies errors warnings',
  'pane details': 'arguments selection',
  'pane picture': 'image screenshot render pixel history',
  'pane state': 'mesh vertices registers memory stack uniforms textures bound program buffers',
  'copy-link': 'share url permalink',
  'compare-with': 'diff difference regression',
  'keep-calls': 'pin plot',
  'add-note': 'bookmark flag comment marker',
  'keep-range': 'bookmark',
  undo: 'revert',
  measure: 'distance length duration',
  'question leaks': 'leaks memory',
  'question heaviest-frame': 'fps slowest',
  'question redundant-calls': 'redundant state useless',
  'question picture': 'pixel history overdraw',
  'question coverage': 'coverage blocks functions',
  'question origin': 'taint provenance data flow',
  'question system-calls': 'syscall',
  'question names': 'symbols elf debug',
  'question programs': 'symbols elf debug',
  'question gaps': 'lost dropped',
  'question out-of-bounds': 'overflow underrun',
};

/** The title of a row with the words that others have for it, for the search. */
export function searchedOf(id: string, title: string): string {
  const words = WORDS[id];
  return words ? `${title} ${words}` : title;
}

const CALL_VIEWS = {
  functions: 'Show the table of functions',
  tree: 'Show the call tree',
  flame: 'Show the flame graph (icicle)',
  stacks: 'Show stacks (heaviest paths, bottom up)',
  graph: 'Show the call graph',
} as const;

const THEMES = { system: 'dark', dark: 'light', light: 'system' } as const;

/** Buttons of the header by their classes, with what they open. */
const BUTTONS = [
  {
    id: 'export-button',
    title: 'Export',
    about: 'Save as Perfetto, Chrome JSON, CSV, SQLite, or a picture (SVG, PNG)',
  },
  { id: 'notes-button', title: 'Show notes', about: 'Bookmarks and comments of this trace' },
  { id: 'findings-button', title: 'Look for findings', about: 'Problems, anomalies, waste' },
];

/** Switches to the next theme; without a trace, too. */
export function themeWay({ theme }: Page): Way {
  const choice = theme.choice.value;
  return {
    id: 'theme',
    title: `Theme: ${THEMES[choice]}`,
    about: `Now ${choice}: dark, light or as the system`,
    run: theme.next,
  };
}

/** Views of a trace and menus about it. */
export function waysOf(open: OpenTrace, page: Page): readonly Way[] {
  const info = open.trace.info.peek();
  if (!info) return [];
  const isDrawn = info.offers.includes('graphics');
  const views = info.offers.includes('values') ? [] : VIEWS.filter((view) => hasView(info, view));
  return [
    ...views.map((view) => ({
      id: `view ${view}`,
      title: CALL_VIEWS[view],
      about: 'In Functions',
      run: () => {
        chooseView(open, page.dock, view);
        bringToFront(page.dock, info.format, FUNCTIONS);
      },
    })),
    ...(isDrawn ? PICTURE_VIEWS.slice(1) : []).map(([view, title]) => ({
      id: `picture ${view}`,
      title: `Show ${title.toLowerCase()} in the picture`,
      about: 'In Picture',
      run: () => {
        pictureView(open).value = view;
        page.dock.pane.value = 'picture';
      },
    })),
    ...(isDrawn
      ? [
          {
            id: 'mesh',
            title: 'Show mesh of the selected draw',
            about: 'In State, of calls that draw',
            run: () => {
              page.dock.pane.value = 'state';
            },
          },
        ]
      : []),
    ...BUTTONS.map((button) => ({
      ...button,
      // After the focus has left the field.
      run: () => requestAnimationFrame(() => document.querySelector<HTMLElement>(`.${button.id}`)?.click()),
    })),
  ];
}

/** The resource of a trace of OpenGL calls that a text such as `texture 5` names. */
export function resourceWay(text: string, open: OpenTrace, page: Page): Way | null {
  const [, word = '', number = ''] = /^(\p{L}+(?: \p{L}+)?) (\d+)$/u.exec(text.trim().toLowerCase()) ?? [];
  const kind = KINDS.find(([, title]) => title.toLowerCase() === word)?.[0];
  if (!kind || !canShow('resource', page) || !open.trace.info.peek()?.offers.includes('graphics')) return null;
  return { id: 'resource', title: `Show ${word} ${number}`, about: 'In Resources', run: () => go(kind, +number) };
  function go(kind: ResourceKind, name: number) {
    const call = Number(open.selection.place()?.start ?? open.trace.progress.peek().extent?.to ?? 0n);
    showPlace({ to: 'resource', kind, name, call }, open, page);
  }
}
