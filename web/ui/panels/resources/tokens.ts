/** What a part of a line of GLSL is; '' for the rest. */
export type TokenKind = '' | 'comment' | 'directive' | 'number' | 'keyword' | 'type';

const KEYWORDS = new Set(
  'attribute break buffer case centroid const continue coherent default discard do else flat for highp if in inout invariant layout lowp mediump noperspective out patch precise precision readonly restrict return sample shared smooth struct subroutine switch uniform varying volatile while writeonly true false'.split(
    ' ',
  ),
);
const TYPE =
  /^(void|bool|int|uint|float|double|[biud]?vec[234]|d?mat[234](x[234])?|[iu]?(sampler|image)(1D|2D|3D|Cube|Buffer|2DRect|2DMS|1DArray|2DArray|CubeArray|2DMSArray)(Shadow)?)$/;
const TOKEN = /\/\/.*|\/\*.*?(?:\*\/|$)|^\s*#.*|\d[\w.]*|\.\d[\w.]*|[A-Za-z_]\w*|[^\w/#.]+|./g;

/** Splits a line of GLSL into parts that are coloured alike. Comments over several lines are coloured on their first line only. */
export function tokensOf(line: string): readonly (readonly [TokenKind, string])[] {
  return (line.match(TOKEN) ?? []).map((part) => [kindOf(part), part] as const);
}

function kindOf(part: string): TokenKind {
  if (part.startsWith('//') || part.startsWith('/*')) return 'comment';
  if (/^\s*#/.test(part)) return 'directive';
  if (/^\.?\d/.test(part)) return 'number';
  if (KEYWORDS.has(part)) return 'keyword';
  return TYPE.test(part) ? 'type' : '';
}
