import { ticks } from '../../base/ticks.ts';
import { goToPosition, type Place } from '../../timeline/go_to.ts';
import type { Find } from '../../trace/find.ts';
import { pointedOf } from '../../trace/pointed.ts';
import type { Selection } from '../../trace/selection.ts';
import type { Trace } from '../../trace/trace.ts';
import type { Sql } from './sql.ts';
import type { SqlLink } from './sql_results.ts';

/** What {@link follow} needs of an open trace. */
interface Linked extends Place {
  readonly trace: Place['trace'] & Pick<Trace, 'tracks'>;
  readonly selection: Place['selection'] & Pick<Selection, 'reveal'>;
  readonly find: Pick<Find, 'ask' | 'step'>;
}

/** Whether a link leads somewhere in this trace: a position may be beyond it. Subscribes. */
export function leads(link: SqlLink, { trace }: Pick<Linked, 'trace'>): boolean {
  const { extent } = trace.progress.value;
  return link.to !== 'position' || (extent !== null && link.at >= extent.from && link.at <= extent.to);
}

/** What following a link does, for a tooltip. */
export function saysOf(link: SqlLink): string {
  switch (link.to) {
    case 'position':
      return 'Go there';
    case 'slice':
      return 'Go to this slice';
    case 'record':
      return 'Go to this record';
    case 'name':
      return 'Go to its first call';
    case 'address':
      return 'Find its executions';
  }
}

/**
 * Goes where a link leads: nowhere if it is the id of something that is not in the tables that were asked. `schema` is that of the tables
 * of this trace, with a dot; '' without.
 */
export async function follow(link: SqlLink, open: Linked, sql: Pick<Sql, 'first'>, schema = ''): Promise<void> {
  switch (link.to) {
    case 'position':
      return goToRow(link.at, link.track, link.depth, open);
    case 'slice':
    case 'record': {
      const [columns, table] =
        link.to === 'slice' ? ['start, track, depth', 'slices'] : ['time, track, null', 'records'];
      const found = await sql.first(`select ${columns} from ${schema}${table} where id = ${link.id}`);
      const [at, track, depth] = found ?? [];
      if (typeof at !== 'bigint' || typeof track !== 'bigint') return undefined;
      return goToRow(at, Number(track) - 1, typeof depth === 'bigint' ? Number(depth) : null, open);
    }
    case 'name': {
      const extent = open.trace.progress.peek().extent;
      const found = extent && (await open.trace.find({ to: 'named', time: extent.from, name: link.id }));
      if (found) open.selection.reveal(pointedOf(found));
      return undefined;
    }
    case 'address':
      open.find.ask(`addr:0x${link.address.toString(16)}`);
      return open.find.step(1);
  }
}

/** Goes to a position: to the slice of this depth, counted from the outermost, if one begins there. */
async function goToRow(at: bigint, track: number | null, depth: number | null, open: Linked): Promise<void> {
  const { trace, selection } = open;
  const of = track === null ? undefined : trace.tracks.peek().get(track);
  if (of && depth !== null) {
    const found = await trace.find({ to: 'row', time: ticks(at), track: of.id, depth: depth + of.lowest });
    if (found && found.start === at) return selection.reveal(pointedOf(found));
  }
  return goToPosition(ticks(at), open);
}
