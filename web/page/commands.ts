import { shortened } from '../base/format.ts';
import type { Named } from '../parts/menu/request.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';
import type { Command, CommandContext, Page, SearchMode, Surface } from './page.ts';

/** What keys act on now. */
export function contextOf(page: Page): CommandContext {
  return { page, surface: page.surface.peek(), row: null, table: null };
}

/** Runs the command with an id, if it has an effect now. */
export function runCommand(page: Page, id: string): void {
  const context = contextOf(page);
  const command = page.commands.find((known) => known.id === id);
  if (command?.enabled(context)) command.run(context);
}

/** Moves the focus to the field of the search, narrowed as wanted. */
export function openSearch({ search }: Page, mode: SearchMode): void {
  search.mode.value = mode;
  search.isAsked.value = true;
}

/** Whether a slice, an instant or a record is selected. */
export function hasSelection({ open: { selection } }: Surface): boolean {
  return selection.selected.peek() !== null || selection.record.peek() !== null;
}

/** Whether the selection is on a lane, such as a frame, and has neither caller nor callees. */
export function isOnLane({ open: { selection, trace } }: Surface): boolean {
  const selected = selection.selected.peek();
  return selected !== null && trace.tracks.peek().get(selected.track)?.kind === 'lane';
}

/** How a command on a trace differs from others. */
interface TraceOptions extends Pick<Command, 'about' | 'alsoKeys' | 'inMenu' | 'part' | 'sheet'> {
  /** What it has no effect without, besides a trace. */
  readonly needs?: (surface: Surface) => boolean;
}

/** A command that needs a trace on the screen. */
export function onTrace(
  id: string,
  title: string,
  keys: Command['keys'],
  run: (surface: Surface, page: Page) => void,
  { needs, ...options }: TraceOptions = {},
): Command {
  return {
    id,
    title,
    keys,
    ...options,
    enabled: ({ surface }) => surface !== null && (needs?.(surface) ?? true),
    run: ({ surface, page }) => {
      if (surface) run(surface, page);
    },
  };
}

/** A command on the name of the row that a menu is about, or else of the selection. `takes` says on which names. */
export function onNamed(
  id: string,
  title: string,
  part: string,
  run: (named: Named, open: OpenTrace, page: Page) => void,
  takes: (named: Named) => boolean = () => true,
): Command {
  return {
    id,
    title,
    part,
    keys: [],
    enabled: (context) => {
      const named = namedIn(context);
      return context.surface !== null && named !== null && named.text !== '' && takes(named);
    },
    about: (context) => shortened(namedIn(context)?.text ?? ''),
    run: (context) => {
      const named = namedIn(context);
      if (context.surface && named) run(named, context.surface.open, context.page);
    },
  };
}

/** Whether a name is that of slices, such as calls. */
export function isOfCalls({ id, isCalled }: Named): boolean {
  return id >= 0 && isCalled;
}

function namedIn({ row, surface }: CommandContext): Named | null {
  if (row) return row.named;
  if (!surface) return null;
  const { selection, trace } = surface.open;
  const selected = selection.selected.peek();
  const record = selection.record.peek();
  if (selected) {
    const isCalled = selected.end !== null && !isOnLane(surface);
    return { id: selected.name, text: trace.names.of(selected.name), isCalled };
  }
  return record && { id: -1, text: trace.names.inPlaceOf(record.name), isCalled: false };
}
