import type { ReadonlySignal } from '@preact/signals';
import { createScope, type Dispose } from '../../base/scope.ts';
import { watch } from '../../base/watch.ts';
import type { Find } from '../../trace/find.ts';
import type { Names } from '../../trace/names.ts';
import type { Statistics } from '../../trace/statistics.ts';
import { quotedIfNeeded, termOfName } from '../../trace/terms.ts';
import type { Tracks } from '../../trace/tracks.ts';
import type { FunctionCalls } from './call_list.ts';

/** What marking calls needs of an open trace. */
export interface Marked {
  readonly trace: { readonly names: Pick<Names, 'of' | 'keyOf'>; readonly tracks: ReadonlySignal<Pick<Tracks, 'get'>> };
  readonly statistics: Pick<Statistics, 'whose'>;
  readonly find: Pick<Find, 'ask' | 'asked' | 'clear'>;
}

/**
 * Has the search find the calls that the durations of a list choose, so that timeline, overview and hits show them, too. When the
 * durations or the list are taken back, the search before returns, unless the user has begun another one meanwhile.
 */
export function markDurations({ name, interval }: Pick<FunctionCalls, 'name' | 'interval'>, open: Marked): Dispose {
  const { trace, statistics, find } = open;
  const scope = createScope();
  /** The expression of the durations, and the one before it. */
  let own: string | null = null;
  let before = '';
  const takeBack = () => {
    if (own === null || find.asked.peek() !== own) return;
    if (before === '') find.clear();
    else find.ask(before);
  };
  const expression = (): string | null => {
    const chosen = interval.peek();
    if (!chosen) return null;
    const whose = statistics.whose.peek();
    const thread = whose === 'all' ? undefined : trace.tracks.peek().get(whose)?.name;
    const terms = [
      // Several functions may have one name, but not one id.
      termOfName(trace.names.keyOf(name) || trace.names.of(name)),
      `dur:${chosen.shortest}..${chosen.longest}`,
      ...(thread ? [`thread:${quotedIfNeeded(thread)}`] : []),
    ];
    return terms.join(' ');
  };
  scope.add(
    watch([interval, statistics.whose], () => {
      const next = expression();
      if (next === null) {
        takeBack();
        own = null;
        return;
      }
      if (own === null || find.asked.peek() !== own) before = find.asked.peek();
      own = next;
      find.ask(next);
    }),
  );
  scope.add(takeBack);
  return scope.dispose;
}
