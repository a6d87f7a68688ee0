import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { MOST_SORTED } from '../../base/find_protocol.ts';
import { createScope, type Dispose } from '../../base/scope.ts';
import type { ValuesKnown } from '../../base/values_protocol.ts';
import type { Events } from '../../timeline/events.ts';
import type { Find } from '../../trace/find.ts';
import { SETTLED_MS } from '../../trace/search.ts';
import type { Trace } from '../../trace/trace.ts';
import { expressionOf, isAboutValues, queryIn } from '../../trace/values_expression.ts';

/** The query about values that narrows the list of records. Its hits are those of Find. */
export interface ValuesFilter {
  /** What the user has typed. */
  readonly text: Signal<string>;
  /** Whether the search of Find is that of the text. */
  readonly isAsked: ReadonlySignal<boolean>;
  /** What can be named; null while that is not known. */
  readonly known: ReadonlySignal<ValuesKnown | null>;
  /** Asks at once. */
  ask(): void;
  readonly dispose: Dispose;
}

/**
 * The query of `events`, or else that of Find if it is about values. While the query is that of Find, the list of `events` is
 * narrowed to its hits, if they are not too many.
 */
export function createValuesFilter(
  trace: Pick<Trace, 'bindPoints' | 'info'> & { readonly records: Pick<Trace['records'], 'aboutValues'> },
  find: Pick<Find, 'asked' | 'text' | 'ask' | 'clear' | 'state' | 'count' | 'columns'>,
  { byValues: narrowed, wrongValues, valuesText: text }: Pick<Events, 'byValues' | 'wrongValues' | 'valuesText'>,
): ValuesFilter {
  const scope = createScope();
  const asked = find.asked.peek();
  if (text.peek() === '' && isAboutValues(asked, trace.info.peek())) text.value = queryIn(asked).query;
  const isAsked = signal(false);
  const known = signal<ValuesKnown | null>(null);
  void trace.records
    .aboutValues((values) => values.knownValues())
    .then((value) => {
      known.value = value;
    });
  /** What this asked last. */
  let mine = expressionOf(text.peek());

  const ask = () => {
    const expression = expressionOf(text.peek());
    if (expression === '' && mine !== '' && find.asked.peek() === mine) find.clear();
    mine = expression;
    if (expression !== '') find.ask(expression);
  };
  scope.add(
    effect(() => {
      const expression = expressionOf(text.value);
      if (expression === mine) return undefined;
      const timer = setTimeout(() => {
        // A link has asked already.
        if (expression !== '' && find.asked.peek() === expression) mine = expression;
        else ask();
      }, SETTLED_MS);
      return () => clearTimeout(timer);
    }),
  );
  scope.add(
    effect(() => {
      isAsked.value = find.asked.value !== '' && find.asked.value === expressionOf(text.value);
    }),
  );
  scope.add(
    effect(() => {
      const state = find.state.value;
      const query = text.peek().trim();
      const failure = state.at === 'done' ? state.failure : null;
      if (!isAsked.value) wrongValues.value = null;
      else if (state.at === 'wrong') {
        const { at } = queryIn(find.asked.peek());
        wrongValues.value = { text: query, wrong: { ...state.wrong, at: state.wrong.at - at } };
      } else
        wrongValues.value = failure === null ? null : { text: query, wrong: { sentence: failure, at: 0, length: 0 } };
    }),
  );
  scope.add(
    effect(() => {
      const state = find.state.value;
      if (!isAsked.value || state.at === 'idle' || state.at === 'wrong') {
        // What cannot be understood yet leaves the list as it was.
        if (state.at !== 'wrong' || !isAsked.value) narrowed.value = null;
        return undefined;
      }
      if (state.at !== 'done' || find.count.peek() > MOST_SORTED) return undefined;
      let isNewest = true;
      const narrow = async () => {
        const [points, columns] = await Promise.all([trace.bindPoints(), find.columns()]);
        if (!isNewest || !points || !columns) return;
        narrowed.value = { query: points.points, begins: [{ time: columns.time, locator: columns.locator }] };
      };
      void narrow();
      return () => {
        isNewest = false;
      };
    }),
  );
  return {
    text,
    isAsked,
    known,
    ask,
    dispose: () => {
      narrowed.value = null;
      wrongValues.value = null;
      scope.dispose();
    },
  };
}
