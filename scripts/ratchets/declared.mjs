// Finds the names that TypeScript declares for variables, parameters and functions, destructured ones included.
//
// It reads tokens, not a syntax tree. What it takes for a list of parameters: what stands in parentheses after `function`, before `=>`,
// before the braces of a method, and wherever the first name has a type.

/** @import { Token } from './tokens.mjs' */
/** @typedef {{ name: string, line: number }} Declared */

const PAIRS = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);
/** Words that have parentheses and braces after them without being methods. */
const STATEMENTS = /^(?:if|for|while|switch|with|catch|function)$/;
const MODIFIERS = /^(?:public|private|protected|readonly|override)$/;

/**
 * The declared names in the order of the source.
 *
 * @param {readonly Token[]} tokens
 * @returns {Declared[]}
 */
export function declaredIn(tokens) {
  const ends = endsOf(tokens);
  /** @type {Declared[]} */
  const names = [];
  /** @type {(index: number) => string} */
  const text = (index) => (tokens[index]?.kind === 'text' ? '' : (tokens[index]?.text ?? ''));
  /** @type {(index: number) => boolean} */
  const isWord = (index) => tokens[index]?.kind === 'word';

  /**
   * Adds the names of a pattern: a name, or one in brackets or braces. Returns the index after it.
   *
   * @type {(index: number) => number}
   */
  const pattern = (index) => {
    if (isWord(index)) {
      names.push({ name: text(index), line: tokens[index].line });
      return index + 1;
    }
    const end = ends.get(index);
    if (end === undefined || text(index) === '(') return index + 1;
    for (let next = index + 1; next < end; next = afterComma(next, end)) {
      if (text(next) === '...') next++;
      // The name of a property stands before that of the variable. It may be computed.
      const key = ends.get(next) ?? next;
      if (text(index) === '{' && text(key + 1) === ':') next = pattern(key + 2);
      else if (isWord(next) || ends.has(next)) next = pattern(next);
    }
    return end + 1;
  };
  /**
   * The index after the next comma outside of brackets. Those of type arguments are brackets until a default value begins.
   *
   * @type {(index: number, end: number) => number}
   */
  const afterComma = (index, end) => {
    let angles = 0;
    let isType = true;
    for (let next = index; next < end; next = (ends.get(next) ?? next) + 1) {
      if (text(next) === '=') isType = false;
      if (isType && text(next) === '<') angles++;
      if (isType && text(next) === '>') angles--;
      if (text(next) === ',' && !(isType && angles > 0)) return next + 1;
    }
    return end;
  };
  /** @type {(open: number) => void} */
  const parameters = (open) => {
    const end = ends.get(open) ?? open;
    for (let next = open + 1; next < end; next = afterComma(next, end)) {
      while (MODIFIERS.test(text(next)) && isWord(next + 1)) next++;
      if (text(next) === '...') next++;
      if (text(next) !== 'this') next = pattern(next);
    }
  };
  /** @type {(open: number) => boolean} */
  const hasParameters = (open) => {
    const end = ends.get(open) ?? open;
    if (text(end + 1) === '=>') return true;
    const opening = open + (text(open + 1) === '...' ? 2 : 1);
    const next = (ends.get(opening) ?? opening) + 1;
    const canBegin = isWord(opening) || text(opening) === '{' || text(opening) === '[';
    if (canBegin && (text(next) === ':' || (text(next) === '?' && text(next + 1) === ':'))) return true;
    return text(end + 1) === '{' && isWord(open - 1) && !STATEMENTS.test(text(open - 1));
  };

  for (let index = 0; index < tokens.length; index++) {
    const isProperty = text(index - 1) === '.' || text(index - 1) === '?.';
    if (isWord(index) && !isProperty) {
      const keyword = text(index);
      if (/^(?:const|let|var)$/.test(keyword) && (isWord(index + 1) || /^[[{]$/.test(text(index + 1)))) {
        if (text(index - 1) !== 'as' && text(index - 1) !== '<') pattern(index + 1);
      } else if (keyword === 'using' && isWord(index + 1) && text(index + 2) === '=') pattern(index + 1);
      else if (keyword === 'catch' && text(index + 1) === '(' && text(index + 3) === ')') pattern(index + 2);
      else if (keyword === 'function') {
        let next = index + 1;
        if (text(next) === '*') next++;
        // Not the word in a text of JSX.
        if (isWord(next) && /^[(<]$/.test(text(next + 1))) pattern(next);
      }
    }
    if (text(index) === '(' && (hasParameters(index) || isFunctions(index))) parameters(index);
  }
  return names;

  /**
   * Whether a parenthesis comes after `function`, its name and its type parameters.
   *
   * @param {number} open
   */
  function isFunctions(open) {
    let index = open - 1;
    if (text(index) === '>') {
      for (let angles = 0; index > 0; index--) {
        if (text(index) === '>') angles++;
        if (text(index) === '<' && --angles === 0) break;
      }
      index--;
    }
    if (isWord(index) && text(index) !== 'function') index--;
    if (text(index) === '*') index--;
    return text(index) === 'function' && isWord(index);
  }
}

/**
 * For each opening bracket the index of the one that closes it.
 *
 * @param {readonly Token[]} tokens
 */
function endsOf(tokens) {
  /** @type {Map<number, number>} */
  const ends = new Map();
  /** @type {{ index: number, closer: string }[]} */
  const open = [];
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind !== 'mark') continue;
    const closer = PAIRS.get(text);
    if (closer) open.push({ index, closer });
    if (text !== ')' && text !== ']' && text !== '}') continue;
    // Texts of JSX may have one without the other: that is passed over.
    const match = open.findLastIndex((bracket) => bracket.closer === text);
    if (match < 0) continue;
    ends.set(open[match].index, index);
    open.length = match;
  }
  return ends;
}
