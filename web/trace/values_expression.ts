import type { BoundExpression, BoundPoints, WrongExpression } from '../base/find_protocol.ts';
import type { TraceInfo } from '../base/protocol.ts';

/** What an expression begins with that is a query about values: the rest is in the language of docs/values.md. */
export const VALUES = 'values:';

/** Whether an expression is about values in this trace. */
export function isAboutValues(expression: string, info: TraceInfo | null): boolean {
  return expression.trimStart().startsWith(VALUES) && (info?.offers.includes('values') ?? false);
}

/** The query in an expression that is about values, and where it begins there. */
export function queryIn(expression: string): { readonly query: string; readonly at: number } {
  const at = expression.indexOf(VALUES) + VALUES.length;
  const rest = expression.slice(at);
  const query = rest.trimStart();
  return { query, at: at + rest.length - query.length };
}

/** The expression of Find for a query about values; '' for none. */
export function expressionOf(query: string): string {
  return query.trim() === '' ? '' : `${VALUES} ${query.trim()}`;
}

/**
 * Binds an expression about values. `check` says what is wrong with the query; `points` has what the trace's worker is asked.
 * Returns null if a worker ends.
 */
export async function bindValues(
  expression: string,
  check: (query: string) => Promise<{ readonly wrong: WrongExpression | null } | null>,
  points: () => Promise<BoundPoints | null>,
): Promise<BoundExpression | WrongExpression | null> {
  const { query, at } = queryIn(expression);
  const [checked, bound] = await Promise.all([check(query), points()]);
  if (!checked || !bound) return null;
  if (checked.wrong) return { ...checked.wrong, at: at + checked.wrong.at };
  return { slices: bound.slices, records: null, values: query };
}
