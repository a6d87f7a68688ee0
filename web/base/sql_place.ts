/** A part of a query, in characters. */
export interface SqlPlace {
  readonly at: number;
  readonly length: number;
}

/** Most places of a token that are tried. */
const MOST_TRIED = 200;

/**
 * Where an error of SQLite is in a query. sql.js does not export the offset that SQLite knows, so it is found again:
 * `errorOf` returns the error that SQLite has with the beginning of a query, or null. Returns null if the error has no place.
 */
export function placeOfError(
  query: string,
  message: string,
  errorOf: (part: string) => string | null,
): SqlPlace | null {
  if (message === 'incomplete input') return query.trim() === '' ? null : { at: query.trimEnd().length - 1, length: 1 };
  const token = /^(?:near|unrecognized token:) "([\s\S]*?)"(?:: syntax error)?$/.exec(message)?.[1];
  if (token) {
    // The parser stops at the first token that fits nowhere, whatever comes after it.
    let tried = 0;
    for (const at of occurrences(query, token, false)) {
      tried += 1;
      if (tried > MOST_TRIED) return null;
      if (errorOf(query.slice(0, at + token.length)) === message) return { at, length: token.length };
    }
    return null;
  }
  const named =
    /^(?:no such (?:column|table|function|module|table-valued function|collation sequence)|ambiguous column name): (.+)$/.exec(
      message,
    )?.[1] ?? /(?:function|aggregate:?) (\w+)\(\)/i.exec(message)?.[1];
  if (named === undefined) return null;
  // SQLite adds the schema to the names of tables.
  for (const name of [named, named.slice(named.lastIndexOf('.') + 1)]) {
    for (const at of occurrences(query, name, true)) return { at, length: name.length };
  }
  return null;
}

/** Where a token occurs in a query: for names as a whole word, in any case and outside of texts and comments. */
function* occurrences(query: string, token: string, isName: boolean): Generator<number> {
  const bare = isName ? blanked(query) : query;
  const [text, wanted] = isName ? [bare.toLowerCase(), token.toLowerCase()] : [bare, token];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const isWord = !/[\w$]/.test(text[at - 1] ?? '') && !/[\w$]/.test(text[at + wanted.length] ?? '');
    if (!isName || isWord) yield at;
  }
}

/** The query with spaces in place of texts and comments. */
function blanked(query: string): string {
  return query.replace(/--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'?/g, (part) => ' '.repeat(part.length));
}
