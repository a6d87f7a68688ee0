import './glsl.css';

/** What a piece of a shader's source is, for its colour. */
export type TokenKind = 'plain' | 'comment' | 'directive' | 'keyword' | 'type' | 'number' | 'built-in';

/** A piece of source. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const KEYWORDS = new Set(
  (
    'attribute const uniform varying buffer shared coherent volatile restrict readonly writeonly centroid flat smooth ' +
    'noperspective patch sample break continue do for while switch case default if else subroutine in out inout ' +
    'true false invariant precise discard return lowp mediump highp precision struct layout'
  ).split(' '),
);
const TYPE =
  /^(?:void|float|double|int|uint|bool|[biud]?vec[234]|d?mat[234](?:x[234])?|[iu]?(?:sampler|image)\w*|atomic_uint)$/;
const TOKEN = /(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(^[ \t]*#[^\n]*)|([A-Za-z_]\w*)|(\.?\d[\w.]*)/gm;

/** The pieces of a source, in order. Together they are the source. */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (const match of source.matchAll(TOKEN)) {
    const [text, comment, directive, word] = match;
    if (match.index > at) tokens.push({ kind: 'plain', text: source.slice(at, match.index) });
    at = match.index + text.length;
    const kind = comment ? 'comment' : directive ? 'directive' : word ? kindOf(word) : 'number';
    tokens.push({ kind, text });
  }
  if (at < source.length) tokens.push({ kind: 'plain', text: source.slice(at) });
  return tokens;
}

function kindOf(word: string): TokenKind {
  if (KEYWORDS.has(word)) return 'keyword';
  if (TYPE.test(word)) return 'type';
  return word.startsWith('gl_') ? 'built-in' : 'plain';
}

const CLASSES: Readonly<Record<TokenKind, string | null>> = {
  plain: null,
  comment: 'glsl-comment',
  directive: 'glsl-directive',
  keyword: 'glsl-keyword',
  type: 'glsl-type',
  number: 'glsl-number',
  'built-in': 'glsl-built-in',
};

/** A shader's source, or a line of it, in colours. */
export function Glsl({ source }: { readonly source: string }) {
  return (
    <>
      {tokensOf(source).map(({ kind, text }, i) =>
        CLASSES[kind] === null ? (
          text
        ) : (
          <span key={i} class={CLASSES[kind]}>
            {text}
          </span>
        ),
      )}
    </>
  );
}
