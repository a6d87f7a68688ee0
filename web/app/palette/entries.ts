import { shortened } from '../../base/format.ts';
import { bringToFront, DETAILS } from '../../page/dock.ts';
import { type CommandContext, type Page, rowsOf } from '../../page/page.ts';
import type { Chord } from '../../parts/chord.ts';
import { goTo } from '../../timeline/go_to.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { offeredTo } from '../dock/panel.ts';
import { type Rankable, ranked } from './ranking.ts';

/** Something that the palette offers. */
export interface Entry extends Rankable {
  /** What it acts on, or ''. */
  readonly about: string;
  /** null without a key. */
  readonly key: Chord | null;
  readonly run: () => void;
}

/** Most tracks that are offered. */
const MOST_TRACKS = 50;
/** Characters of a query in a title. */
const LONGEST_QUERY = 60;

/** What the palette offers for a query: commands and panels, then tracks, then what can be done with the text itself. */
export function entriesFor(
  query: string,
  recent: readonly string[],
  page: Page,
  context: CommandContext,
): readonly Entry[] {
  const bench = page.workbench.bench.peek();
  const open = bench.at === 'open' && context.surface ? bench.open : null;
  const commands = page.commands
    .filter((command) => command.id !== 'show-palette' && command.enabled(context))
    .map((command) => ({
      id: command.id,
      title: command.title,
      about: command.about?.(context) ?? '',
      key: command.keys[0] ?? null,
      run: () => command.run(context),
    }));
  if (!open) return ranked(commands, query, recent);
  const known = ranked([...commands, ...panelsOf(open, page), ...panesOf(open, page)], query, recent);
  if (query.trim() === '') return known;
  return [...known, ...tracksOf(open, query, context), ...textOf(open, query.trim(), page)];
}

function panelsOf(open: OpenTrace, page: Page): readonly Entry[] {
  const info = open.trace.info.peek();
  if (!info) return [];
  return offeredTo(open, rowsOf(page, 'panels')).map((panel) => ({
    id: `panel ${panel.id}`,
    title: `Show ${panel.titleFor?.(open) ?? panel.title}`,
    about: 'Panel',
    key: null,
    run: () => {
      bringToFront(page.dock, info.format, panel.id);
      focusSoon(`tab-${panel.id}`);
    },
  }));
}

/** What the pane about the selection can show, if there is a choice. */
function panesOf(open: OpenTrace, page: Page): readonly Entry[] {
  const panes = offeredTo(open, rowsOf(page, 'panes'));
  if (panes.length === 0) return [];
  return [{ id: DETAILS, title: 'Details' }, ...panes].map(({ id, title }) => ({
    id: `pane ${id}`,
    title: `Show ${title}`,
    about: 'About the selection',
    key: null,
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

function tracksOf({ timeline }: OpenTrace, query: string, { surface }: CommandContext): readonly Entry[] {
  const tracks = timeline.arrangement.ordered
    .peek()
    .map((track) => ({ id: `track ${track.id}`, title: `Go to ${shortened(track.name)}`, track }));
  return ranked(tracks, query, [], MOST_TRACKS).map(({ id, title, track }) => ({
    id,
    title,
    about: track.detail === '' ? 'Track' : shortened(track.detail),
    key: null,
    run: () => surface?.goToTrack(track.id),
  }));
}

function textOf(open: OpenTrace, text: string, { workbench }: Page): readonly Entry[] {
  const shown = shortened(text, LONGEST_QUERY);
  return [
    {
      id: 'find-text',
      title: `Find “${shown}”`,
      about: 'Search',
      key: null,
      run: () => open.find.open(text),
    },
    {
      id: 'go-to-text',
      title: `Go to “${shown}”`,
      about: 'Position or name',
      key: null,
      run: () => {
        void goTo(text, open).then((sentence) => {
          if (sentence !== '') workbench.tell(sentence);
        });
      },
    },
  ];
}
