/** A line of a comparison. */
export interface DiffLine {
  readonly how: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Most lines of each text whose differences are looked for: the work grows with their product. */
const MOST_LINES = 3000;

/** The lines of two texts, those of a longest common subsequence once. Of long texts only beginning and end are matched. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const a = before.split('\n');
  const b = after.split('\n');
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail])
    tail += 1;
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ how: 'same', text }));
  const middle = between(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  return [...same(a.slice(0, head)), ...middle, ...same(a.slice(a.length - tail))];
}

function between(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  const removed = (text: string): DiffLine => ({ how: 'removed', text });
  const added = (text: string): DiffLine => ({ how: 'added', text });
  if (a.length === 0 || b.length === 0 || a.length > MOST_LINES || b.length > MOST_LINES) {
    return [...a.map(removed), ...b.map(added)];
  }
  // The length of the longest common subsequence of what follows i and j.
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] =
        a[i] === b[j]
          ? longest[(i + 1) * width + j + 1]! + 1
          : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ how: 'same', text: a[i]! });
      i += 1;
      j += 1;
    } else if (j === b.length || (i < a.length && longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!)) {
      lines.push(removed(a[i]!));
      i += 1;
    } else {
      lines.push(added(b[j]!));
      j += 1;
    }
  }
  return lines;
}
