import type { VariableSummary } from '../../base/values_protocol.ts';
import { whenHolds } from '../../base/when.ts';
import { openSearch } from '../../page/commands.ts';
import { bringToFront, HITS } from '../../page/dock.ts';
import type { Page, Start } from '../../page/page.ts';
import { askedOfFindings, showFindings } from '../../page/show_findings.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { findingsOf } from '../../trace/findings.ts';
import type { SearchState } from '../../trace/search.ts';
import { expressionOf } from '../../trace/values_expression.ts';
import { wishedInvariants } from './wished.ts';

/** Questions about the values of variables. */
export const STARTS: readonly Start[] = [
  {
    id: 'values-over-time',
    place: 10,
    asked: (open) =>
      isOffered(open)
        ? {
            words: 'How do values change over time?',
            way: 'Variables: a row for each, with its graph, lowest and highest value',
          }
        : null,
    answer: (open, page) => show('variables', open, page),
  },
  {
    id: 'condition',
    place: 20,
    asked: (open) =>
      isOffered(open)
        ? {
            words: 'When does a condition first hold, such as a < b?',
            way: 'Search for `values: a < b`, with any variables',
          }
        : null,
    answer: (open, page) => void findCondition(open, page),
  },
  {
    id: 'out-of-bounds',
    place: 30,
    asked: (open) =>
      isOffered(open)
        ? askedOfFindings(open, 'Do pointers leave their buffers?', 'Findings, and *Out of bounds* in Variables')
        : null,
    answer: (open, { dock, workbench }) => {
      showFindings(open, dock);
      const findings = findingsOf(open);
      if (!findings) return;
      const isDone = (state: { readonly at: string }): state is { readonly at: 'done' } => state.at === 'done';
      open.scope.add(
        whenHolds(findings.state, isDone, () => {
          if (findings.all.peek().length === 0) workbench.tell('No pointer of this trace leaves its buffer.');
        }),
      );
    },
  },
  {
    id: 'invariants',
    place: 40,
    asked: (open) =>
      isOffered(open)
        ? {
            words: 'What holds each time a statement is reached, and when not?',
            way: 'Statements: open one, then *Invariants*; a click on one selects its exceptions',
          }
        : null,
    answer: (open, page) => {
      wishedInvariants(open).value = true;
      show('statements', open, page);
    },
  },
];

function isOffered({ trace }: OpenTrace): boolean {
  return trace.info.value?.offers.includes('values') ?? false;
}

function show(panel: string, { trace }: OpenTrace, { dock }: Page): void {
  bringToFront(dock, trace.info.peek()?.format, panel);
}

/** Searches for a condition on two variables of the trace, which the user can change, and selects the first hit. */
async function findCondition(open: OpenTrace, page: Page): Promise<void> {
  const { find, trace } = open;
  const variables = await trace.records.aboutValues((values) => values.variables(null));
  const [a = 'a', b = 'b'] = comparable(variables ?? []);
  const ask = (text: string, otherwise: string | null) => {
    find.ask(text);
    const isDone = (state: SearchState): state is SearchState => state.at === 'done' && find.asked.peek() === text;
    open.scope.add(
      whenHolds(find.state, isDone, () => {
        if (find.count.peek() > 0) void find.step(1);
        else if (otherwise !== null) ask(otherwise, null);
      }),
    );
  };
  // One of them holds, unless the two are equal wherever both are known.
  ask(expressionOf(`${a} < ${b}`), expressionOf(`${b} < ${a}`));
  show(HITS, open, page);
  // The variables are the user's to change.
  openSearch(page, 'all');
}

/** The two numbers that are seen most often, by name. */
export function comparable(
  variables: readonly Pick<VariableSummary, 'name' | 'pointer' | 'count' | 'lowest' | 'highest'>[],
): readonly string[] {
  const numbers = variables.filter(
    ({ name, pointer, lowest }) => !pointer && lowest !== null && /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name),
  );
  const names = numbers.sort((one, other) => other.count - one.count).map(({ name }) => name);
  return [...new Set(names)].slice(0, 2);
}
