// Splits TypeScript into tokens: enough to find declarations and assertions, without a parser. TypeScript 7 is a native program and
// offers none to scripts.

/**
 * `kind` is `word` for names and keywords, `mark` for punctuation, and `text` for strings, parts of templates, regular expressions and
 * numbers. `begin` is where it stands in the source.
 *
 * @typedef {{ kind: 'word' | 'mark' | 'text', text: string, line: number, begin: number }} Token
 */

const SPACE = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const WORD = /[A-Za-z_$][\w$]*/y;
// A string ends on its line: an apostrophe in a text of JSX begins none that goes on.
const TEXT = /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|\d[\w.]*/y;
const TEMPLATE = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{|$)/y;
const REGEXP = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
const MARK = /=>|\.\.\.|\?\.|[!=]==?|\S/y;
/** After these words an expression begins, so a slash begins a regular expression. */
const BEFORE_EXPRESSION = /^(?:return|typeof|case|in|of|await|yield|void|delete|else|do)$/;

/**
 * The tokens of a source, without comments and white space.
 *
 * @param {string} source
 * @returns {Token[]}
 */
export function tokensOf(source) {
  /** @type {Token[]} */
  const tokens = [];
  /**
   * For each open brace, whether it is that of a `${`.
   *
   * @type {boolean[]}
   */
  const braces = [];
  let position = 0;
  let line = 1;
  /** @type {(pattern: RegExp) => string | undefined} */
  const match = (pattern) => {
    pattern.lastIndex = position;
    return pattern.exec(source)?.[0];
  };
  /** @type {(text: string) => void} */
  const skip = (text) => {
    position += text.length;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) line++;
  };
  /** @type {(kind: Token['kind'], text: string) => void} */
  const add = (kind, text) => {
    tokens.push({ kind, text, line, begin: position });
    skip(text);
  };
  const template = () => {
    const text = match(TEMPLATE) ?? '';
    add('text', text);
    if (text.endsWith('${')) braces.push(true);
  };
  for (;;) {
    skip(match(SPACE) ?? '');
    if (position >= source.length) return tokens;
    const word = match(WORD);
    if (word !== undefined) {
      add('word', word);
      continue;
    }
    const letter = source[position];
    if (letter === '`' || (letter === '}' && braces.pop())) {
      skip(letter);
      template();
      continue;
    }
    const isText = /['"\d]/.test(letter) || (letter === '/' && mayBeRegExp(tokens.at(-1)));
    const text = isText ? match(letter === '/' ? REGEXP : TEXT) : undefined;
    if (letter === '{') braces.push(false);
    if (text !== undefined) add('text', text);
    else add('mark', match(MARK) ?? letter);
  }
}

/**
 * Whether a slash after a token begins a regular expression, not a division or the end of a tag.
 *
 * @param {Token | undefined} previous
 */
function mayBeRegExp(previous) {
  if (!previous) return true;
  if (previous.kind === 'word') return BEFORE_EXPRESSION.test(previous.text);
  return previous.kind === 'mark' && !/^[)\]}<]$/.test(previous.text);
}
