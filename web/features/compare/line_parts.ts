/** A piece of a line. */
export interface LinePart {
  readonly text: string;
  /** The line beside it does not have it. */
  readonly differs: boolean;
}

/** Words and numbers, spaces, and other characters one by one. */
const TOKEN = /[-+]?[\p{L}\p{N}_.$#@]+|\s+|[^\s]/gu;
/** Most tokens that are compared: the work grows with their product. */
const MOST = 400;

/** Two lines as pieces, so that what differs stands out: all but a longest common subsequence of their tokens. */
export function lineParts(first: string, second: string): readonly [readonly LinePart[], readonly LinePart[]] {
  if (first === second) return [whole(first, false), whole(second, false)];
  const a = first.match(TOKEN) ?? [];
  const b = second.match(TOKEN) ?? [];
  if (a.length > MOST || b.length > MOST) return [whole(first, true), whole(second, true)];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const [isInA, isInB] = [new Uint8Array(a.length), new Uint8Array(b.length)];
  for (const [is, length] of [
    [isInA, a.length],
    [isInB, b.length],
  ] as const) {
    is.fill(1, 0, head);
    is.fill(1, length - tail);
  }
  const [tall, wide] = [a.length - head - tail, b.length - head - tail];
  // The length of the longest common subsequence of what follows i and j.
  const longest = new Uint16Array((tall + 1) * (wide + 1));
  const at = (i: number, j: number) => i * (wide + 1) + j;
  for (let i = tall - 1; i >= 0; i -= 1) {
    for (let j = wide - 1; j >= 0; j -= 1) {
      longest[at(i, j)] =
        a[head + i] === b[head + j]
          ? longest[at(i + 1, j + 1)]! + 1
          : Math.max(longest[at(i + 1, j)]!, longest[at(i, j + 1)]!);
    }
  }
  for (let [i, j] = [0, 0]; i < tall && j < wide; ) {
    if (a[head + i] === b[head + j]) {
      isInA[head + i] = 1;
      isInB[head + j] = 1;
      i += 1;
      j += 1;
    } else if (longest[at(i + 1, j)]! >= longest[at(i, j + 1)]!) i += 1;
    else j += 1;
  }
  return [joined(a, isInA), joined(b, isInB)];
}

function whole(text: string, differs: boolean): readonly LinePart[] {
  return text === '' ? [] : [{ text, differs }];
}

/** Tokens as pieces. What is between two that differ does so, too, if it is a space. */
function joined(tokens: readonly string[], isCommon: Uint8Array): readonly LinePart[] {
  const parts: { text: string; differs: boolean }[] = [];
  for (const [i, text] of tokens.entries()) {
    const isBetween = /^\s+$/.test(text) && isCommon[i - 1] === 0 && isCommon[i + 1] === 0;
    const differs = isCommon[i] === 0 ? !/^\s+$/.test(text) || isBetween : isBetween;
    const last = parts.at(-1);
    if (last && last.differs === differs) last.text += text;
    else parts.push({ text, differs });
  }
  return parts;
}
