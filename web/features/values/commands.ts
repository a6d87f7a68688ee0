import type { Command, Surface } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { isStatement, wantedStatement } from '../../trace/wanted_statement.ts';

/** What can be done with the selected point. */
export const POINT_COMMANDS: readonly Command[] = [
  {
    id: 'list-occurrences',
    title: 'List all points of the statement',
    keys: [],
    part: 'statement',
    enabled: ({ surface, row }) => row === null && selectedStatement(surface) !== null,
    run: ({ surface }) => {
      const own = selectedStatement(surface);
      if (surface && own !== null) wantedStatement(surface.open).value = own;
    },
  },
  {
    id: 'values-by-file',
    title: 'Show the values of each file on a track',
    keys: [],
    part: 'values',
    enabled: ({ surface, row }) => row === null && shownVariable(surface) !== null,
    run: ({ surface }) => {
      const name = shownVariable(surface);
      if (surface && name !== null) keepByFile(surface.open, name);
    },
  },
];

/** Whether the points of a trace are in several source files, so that a variable may be one of each. */
export function hasFiles({ trace }: OpenTrace): boolean {
  let files = 0;
  for (const { kind } of trace.tracks.peek().values()) if (kind === 'process') files += 1;
  return files > 1;
}

/** Makes a track of the values that a variable has in each file. */
export function keepByFile({ derived }: OpenTrace, name: string): void {
  const own = name || '(no name)';
  derived.keepFieldOfEach({ path: ['vars', own], ofName: false, label: own });
}

/** The name of the variable whose values the current track has, if its points are in several files; else null. */
function shownVariable(surface: Surface | null): string | null {
  if (!surface?.open.trace.info.peek()?.offers.includes('values') || !hasFiles(surface.open)) return null;
  const track = surface.currentTrack()?.track;
  // A track that was kept is not of all files.
  if (track?.kind !== 'counter' || surface.open.trace.tracks.peek().get(track.id) === undefined) return null;
  return track.name;
}

/** The name in the file of the selected point's statement; null for anything else. */
function selectedStatement(surface: Surface | null): string | null {
  if (!surface?.open.trace.info.peek()?.offers.includes('values')) return null;
  const { trace, selection } = surface.open;
  const name = selection.selected.peek()?.name ?? -1;
  const own = name < 0 ? (selection.record.peek()?.name ?? '') : trace.names.keyOf(name) || trace.names.of(name);
  return isStatement(own) ? own : null;
}
