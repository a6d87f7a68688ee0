// Kept apart from find_terms.ts, because commands need it before a trace is open.

/** The expression that finds a function's calls. */
export function termOfName(name: string): string {
  return `name:${quotedIfNeeded(name)}`;
}

/** A text as the value of a term: in quotes if it would be understood otherwise. */
export function quotedIfNeeded(text: string): string {
  // Parentheses of a word may be balanced, but only without spaces in them.
  return /^[^\s"*()/-][^\s"*()]*$/.test(text) ? text : quoted(text);
}

/** A text in quotes. */
export function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`;
}
