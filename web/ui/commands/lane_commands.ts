import { shortened } from '../../base/format.ts';
import type { CommandContext, Lanes } from './context.ts';

/** Tracks that are made from the records on request: of CPUs, and of events by their type. */
export const LANE_COMMANDS = [
  {
    id: 'keep-cpus',
    title: 'Show a track for each CPU',
    keys: [],
    enabled: ({ trace }: CommandContext) => trace?.lanes?.cpus() === 'none',
    run: ({ trace }: CommandContext) => trace?.lanes?.keepCpus(),
  },
  {
    id: 'remove-cpus',
    title: 'Remove the tracks of CPUs',
    keys: [],
    enabled: ({ trace }: CommandContext) => trace?.lanes?.cpus() === 'kept',
    run: ({ trace }: CommandContext) => trace?.lanes?.removeCpus(),
  },
  {
    id: 'keep-cpus-of-track',
    title: 'Show the CPUs of the thread',
    keys: [],
    enabled: ({ trace }: CommandContext) => trace !== null && trace.lanes?.threadWithCpus() != null,
    about: ({ trace }: CommandContext) => shortened(trace?.lanes?.threadWithCpus()?.name ?? ''),
    run: ({ trace }: CommandContext) => {
      const track = trace?.lanes?.threadWithCpus();
      if (track) trace?.lanes?.keepCpusOf(track.id);
    },
  },
  {
    id: 'keep-events',
    title: 'Show a track for each type of event',
    keys: [],
    enabled: ({ trace }: CommandContext) => trace?.lanes?.events() === 'none',
    run: ({ trace }: CommandContext) => trace?.lanes?.keepEvents(null),
  },
  {
    id: 'remove-events',
    title: 'Remove the tracks of events',
    keys: [],
    enabled: ({ trace }: CommandContext) => trace?.lanes?.events() === 'kept',
    run: ({ trace }: CommandContext) => trace?.lanes?.removeEvents(),
  },
  {
    id: 'keep-events-of-type',
    title: 'Keep all events of its type as a track',
    keys: [],
    enabled: (context: CommandContext) => typeIn(context) !== null,
    about: (context: CommandContext) => shortened(context.trace?.lanes?.nameOfType(typeIn(context) ?? '') ?? ''),
    run: (context: CommandContext) => context.trace?.lanes?.keepEvents(typeIn(context)),
  },
] as const;

/** The type of the event that a command acts on, unless there is a track of it: that of the row, or else of the selection. */
function typeIn({ row, trace }: CommandContext): string | null {
  const lanes: Lanes | undefined = trace?.lanes;
  const type = row ? (row.eventType ?? null) : (lanes?.selectedType() ?? null);
  return type !== null && lanes?.canKeepEvents(type) ? type : null;
}
