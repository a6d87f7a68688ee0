import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { createScope, type Dispose } from '../../base/scope.ts';
import type { SqlPlace } from '../../base/sql_place.ts';
import type { ValuesKnown } from '../../base/values_protocol.ts';
import type { Find } from '../../trace/find.ts';
import type { Trace } from '../../trace/trace.ts';
import { expressionOf, queryIn } from '../../trace/values_expression.ts';

/** A query about values of the SQL panel. Its hits are those of Find. */
export interface ValuesQuery {
  readonly text: Signal<string>;
  /** Whether the search of Find is that of the text. */
  readonly isAsked: ReadonlySignal<boolean>;
  /** What is wrong with the query that was asked, and where. */
  readonly wrong: ReadonlySignal<{ readonly sentence: string; readonly place: SqlPlace } | null>;
  /** What can be named; null while that is not known. */
  readonly known: ReadonlySignal<ValuesKnown | null>;
  ask(): void;
  readonly dispose: Dispose;
}

/** No query yet. */
export function createValuesQuery(
  trace: { readonly records: Pick<Trace['records'], 'aboutValues'> },
  find: Pick<Find, 'asked' | 'ask' | 'state'>,
): ValuesQuery {
  const scope = createScope();
  const text = signal('');
  const isAsked = signal(false);
  const wrong = signal<{ sentence: string; place: SqlPlace } | null>(null);
  const known = signal<ValuesKnown | null>(null);
  void trace.records
    .aboutValues((values) => values.knownValues())
    .then((value) => {
      known.value = value;
    });
  scope.add(
    effect(() => {
      isAsked.value = text.value.trim() !== '' && find.asked.value === expressionOf(text.value);
    }),
  );
  scope.add(
    effect(() => {
      const state = find.state.value;
      if (!isAsked.value || state.at !== 'wrong') {
        wrong.value = null;
        return;
      }
      // Places are those of the expression of Find; the text may begin with spaces.
      const typed = text.peek();
      const indent = typed.length - typed.trimStart().length;
      const at = state.wrong.at - queryIn(find.asked.peek()).at + indent;
      wrong.value = { sentence: state.wrong.sentence, place: { at: Math.max(0, at), length: state.wrong.length } };
    }),
  );
  return {
    text,
    isAsked,
    wrong,
    known,
    ask: () => {
      const expression = expressionOf(text.peek());
      if (expression !== '') find.ask(expression);
    },
    dispose: scope.dispose,
  };
}
