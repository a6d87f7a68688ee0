import { computed, effect, type ReadonlySignal, type Signal } from '@preact/signals';
import type { WrongExpression } from '../../base/find_protocol.ts';
import { createScope, type Dispose } from '../../base/scope.ts';
import { createSearch, SETTLED_MS, type SearchedTrace } from '../../trace/search.ts';
import type { Statistics } from '../../trace/statistics.ts';
import type { Trace } from '../../trace/trace.ts';

/** The expression that narrows the table of functions to those of which a call matches. */
export interface FunctionFilter {
  /** What the user has typed. */
  readonly text: Signal<string>;
  /** What is wrong with it; null if nothing is. */
  readonly wrong: ReadonlySignal<WrongExpression | null>;
  /** Whether calls are still being searched. */
  readonly searching: ReadonlySignal<boolean>;
  /** Whether a function is listed, by its name id. */
  readonly holds: ReadonlySignal<(name: number) => boolean>;
  readonly dispose: Dispose;
}

/** The filter of the `statistics`. It is about calls in their range and tracks. */
export function createFunctionFilter(
  trace: SearchedTrace & Pick<Trace, 'bind' | 'names'>,
  { asked, functionFilter: text }: Pick<Statistics, 'asked' | 'functionFilter'>,
): FunctionFilter {
  const scope = createScope();
  const search = createSearch(trace, 'functions');
  scope.add(search.forget);
  scope.add(
    effect(() => {
      const typed = text.value.trim();
      void trace.names.version.value;
      const isLoading = trace.status.value.at === 'loading';
      const within = asked();
      if (typed === '' || isWord(typed)) {
        search.forget();
        return undefined;
      }
      // It begins once the file is read.
      if (isLoading) return undefined;
      const timer = setTimeout(() => search.begin(() => trace.bind(typed, within)), SETTLED_MS);
      return () => clearTimeout(timer);
    }),
  );
  const wrong = computed(() => (search.state.value.at === 'wrong' ? search.state.value.wrong : null));
  const searching = computed(() => search.state.value.at === 'searching');
  const holds = computed((): ((name: number) => boolean) => {
    const wanted = text.value.trim();
    if (wanted === '') return () => true;
    if (isWord(wanted)) {
      // Without a capital letter, upper and lower case are alike.
      const ignoresCase = wanted === wanted.toLowerCase();
      const fits = (of: string) => (ignoresCase ? of.toLowerCase() : of).includes(wanted);
      // By id or address, too, where another text is shown.
      return (name) => fits(trace.names.of(name)) || fits(trace.names.keyOf(name));
    }
    const found = search.names.value;
    return search.job.value < 0 ? () => wrong.value !== null : (name) => found.has(name);
  });
  return { text, wrong, searching, holds, dispose: scope.dispose };
}

/** Whether an expression is one word: the names of functions answer it at once. */
function isWord(expression: string): boolean {
  return /^[^\s"()/*-][^\s"*()]*$/.test(expression) && !/^[a-z]+(\.[^:<>=]*)?([:=](?!:)|[<>])/i.test(expression);
}
