import { formatLength } from '../../base/format.ts';
import type { Track } from '../../base/protocol.ts';
import { ticks } from '../../base/ticks.ts';
import type { Start } from '../../page/page.ts';
import { type Gap, gapsOf } from '../../timeline/gaps.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { hasNumbersOnly } from '../../trace/names.ts';

/** Questions about any trace: what is missing from it, and what would add to it. */
export const STARTS: readonly Start[] = [
  {
    id: 'names',
    place: 5,
    asked: ({ trace }) =>
      hasNumbersOnly(trace)
        ? {
            words: 'Add the program for names',
            way: "This log has function numbers only. The program that wrote it has their names, and so has llvm-xray's YAML of the log.",
          }
        : null,
    answer: (_, page) => page.chooseFile(),
  },
  {
    id: 'gaps',
    place: 30,
    asked: (open) => {
      const info = open.trace.info.value;
      const longest = longestGap(open);
      if (!info || !longest) return null;
      return {
        words: 'Where are records missing?',
        figure: formatLength(ticks(longest.gap.to - longest.gap.from), info.clock),
        way: 'Hatched parts of the timeline; this is the longest',
      };
    },
    answer: (open, page) => {
      const longest = longestGap(open);
      if (!longest) return;
      page.surface.peek()?.goToTrack(longest.track.id);
      open.timeline.show(longest.gap);
    },
  },
  {
    id: 'programs',
    place: 60,
    asked: ({ trace }) => {
      const info = trace.info.value;
      if (!info?.companions.includes('binary') || trace.companions.value.length > 0 || hasNumbersOnly(trace))
        return null;
      // A log that has names needs no program for them.
      if (info.clock.kind !== 'ordinal') return null;
      return {
        words: 'Add the program for names',
        way: 'An ELF or Mach-O file, its debug file, or a list of addresses and names',
      };
    },
    answer: (_, page) => page.chooseFile(),
  },
];

/** The longest interval without records, and its track. Subscribes. */
function longestGap({ trace }: OpenTrace): { readonly track: Track; readonly gap: Gap } | null {
  const extent = trace.progress.value.extent;
  if (!extent) return null;
  let best: { readonly track: Track; readonly gap: Gap } | null = null;
  for (const track of trace.tracks.value.values()) {
    for (const gap of gapsOf(track, extent)) {
      if (!best || gap.to - gap.from > best.gap.to - best.gap.from) best = { track, gap };
    }
  }
  return best;
}
