import { computed } from '@preact/signals';
import { formatCounted, formatLength, formatShare } from '../../../base/format.ts';
import type { Clock } from '../../../base/protocol.ts';
import { layOutFlame } from '../../../timeline/flame.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { flameName } from '../../../timeline/render/flame.ts';
import { paletteFor } from '../../../timeline/render/palette.ts';
import { type FlameShows, widthOf } from '../../../timeline/widgets/flame_graphs.tsx';
import { createFlameState, type FlameSource, type FlameState } from '../../../timeline/widgets/flame_state.ts';
import { allName, type Flames } from '../../../trace/statistics.ts';

/**
 * The state of a flame graph when it comes to the front: of the callers of a sandwich, or of what the view is about. The
 * first `hidden` rows are not drawn.
 */
export function stateOf({ statistics, trace }: OpenTrace, part: keyof Flames, hidden = 0): FlameState {
  const upwards = part === 'callers';
  const laid = computed(() => {
    const columns = statistics.flame.value?.columns[part];
    return columns ? layOutFlame(columns, hidden) : null;
  });
  const rootName = computed(() => {
    if (upwards) return trace.names.of(laid.value?.flame.name[0] ?? -1);
    const whose = statistics.whose.value;
    if (whose !== 'all') return statistics.choices.value.find(({ id }) => id === whose)?.name ?? '';
    return allName(statistics.all.value);
  });
  return createFlameState(laid, rootName, upwards);
}

/** The flame graph of one trace. */
export function sourceOf(
  { trace, statistics, find }: OpenTrace,
  { rootName }: FlameState,
  clock: Clock,
  shows: FlameShows,
): FlameSource {
  const length = (ticks: number) => formatLength(BigInt(Math.round(ticks)), clock);
  return {
    names: trace.names,
    highlighted: statistics.highlighted,
    hits: find.names,
    palette: paletteFor,
    length,
    about: (laid, i) => {
      const { total, self, count } = laid.flame;
      const share = (ticks: number) => formatShare(ticks, total[0]!);
      const { word, hasSelf } = widthOf(shows, laid, i);
      const own = hasSelf || (i === 0 && shows === 'flame');
      return {
        name: flameName(laid, i, trace.names, rootName.value),
        figures: [
          [word, length(total[i]!), share(total[i]!)],
          ...(own ? [['self', length(self[i]!), share(self[i]!)] as const] : []),
        ],
        calls: formatCounted(Math.round(count[i]!), trace.info.value?.sliceNoun ?? 'call'),
      };
    },
    hasMenus: true,
  };
}
