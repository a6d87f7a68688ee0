import type { BoundExpression, BoundPoints, WrongExpression } from '../base/find_protocol.ts';
import type { TraceInfo } from '../base/protocol.ts';

/** What an expression begins with that is a query about values: the rest is in the language of docs/values.md. */
export const VALUES = 'values:';

/** Whether an expression is about values in this trace. */
export function isAboutValues(expression: string, info: TraceInfo | null): boolean {
  return expression.trimStart().startsWith(VALUES) && (info?.offers.includes('values') ?? false);
}

/** The query in an expression that is about values, and where it begins there: all of it, or what follows `values:`. */
export function queryIn(expression: string): { readonly query: string; readonly at: number } {
  const at = expression.trimStart().startsWith(VALUES) ? expression.indexOf(VALUES) + VALUES.length : 0;
  const rest = expression.slice(at);
  const query = rest.trimStart();
  return { query, at: at + rest.length - query.length };
}

/** A text that a variable is compared with, such as `name = "main"`. */
const TEXT_BESIDE = /((?:^|[\s\p{L}\p{N}_$])(?:<|>|={1,2}|<=|>=|!=))\s*"(?:[^"\\]|\\.)*"/gu;

/**
 * Whether a text that does not say what it is reads like a condition on values, such as `a < b`: a comparison that stands by itself,
 * or one of a name that is not a key of the filter language.
 */
export function looksLikeValues(text: string): boolean {
  const bare = text.replace(TEXT_BESIDE, '$1 0');
  return /(^|[\s\p{L}\p{N}_$)])(<|>|={1,2}|<=|>=|!=)([\s\p{L}\p{N}_$(.-]|$)/u.test(bare) && !/["/]/.test(bare);
}

/**
 * Whether a text reads like a condition on values whose comparison stands by itself, such as `a < b`: the filter language takes it for
 * words, and looks for the sign as one of them.
 */
export function hasSeparateSign(text: string): boolean {
  return looksLikeValues(text) && /(^|\s)(<|>|={1,2}|<=|>=|!=)(\s|$)/.test(text.replace(TEXT_BESIDE, '$1 0'));
}

/** Says of a filter without rows that it took a condition on values for words; null if it did not, or if rows may still be found. */
export function takenForWords(text: string, rows: number, isSearching: boolean): WrongExpression | null {
  if (rows > 0 || isSearching || !hasSeparateSign(text)) return null;
  return { sentence: 'The filter took this for words. Use Values for conditions on values.', at: 0, length: 0 };
}

/** The expression of Find for a query about values; '' for none. */
export function expressionOf(query: string): string {
  return query.trim() === '' ? '' : `${VALUES} ${query.trim()}`;
}

/**
 * Binds a text that may be in the filter language or a query about values: the former unless it would be wrong, or would look for
 * a sign as a word. If it is neither, what is wrong with it is said in the language that it looks like.
 */
export async function bindEither(
  text: string,
  filter: () => Promise<BoundExpression | WrongExpression | null>,
  values: () => Promise<BoundExpression | WrongExpression | null>,
): Promise<BoundExpression | WrongExpression | null> {
  if (!looksLikeValues(text)) return filter();
  const isOdd = hasSeparateSign(text);
  const bound = await filter();
  if (!bound || ('slices' in bound && !isOdd)) return bound;
  const query = await values();
  if (!query || 'slices' in query) return query;
  // What it stumbled over is a name before a comparison: a key would be known.
  return 'slices' in bound || /^[<>=]/.test(text.slice(bound.at + bound.length)) ? query : bound;
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
