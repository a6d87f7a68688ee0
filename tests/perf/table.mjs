// Tables of numbers that are legible in a terminal and in Markdown.

/** @typedef {{ median: number, least: number, greatest: number }} Spread */

/**
 * Median, minimum and maximum of the runs, without values that are not there.
 *
 * @param {readonly (number | null | undefined)[]} values
 * @returns {Spread | null}
 */
export function spread(values) {
  const finite = /** @type {number[]} */ (values.filter((value) => Number.isFinite(value)));
  const sorted = finite.sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { median, least: sorted[0], greatest: sorted[sorted.length - 1] };
}

/**
 * `1.20 (1.10–1.40)`, the median alone if the range adds nothing, or a dash without values.
 *
 * @param {Spread | null} values
 */
export function told(values, digits = 0) {
  if (!values) return '–';
  /** @param {number} value */
  const text = (value) => value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const [median, least, greatest] = [values.median, values.least, values.greatest].map(text);
  return least === greatest ? median : `${median} (${least}–${greatest})`;
}

/**
 * A Markdown table of rows of cells, the first row being the head. All columns but the first are right-aligned.
 *
 * @param {readonly (readonly string[])[]} rows
 */
export function markdown(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  /** @param {readonly string[]} row */
  const line = (row) =>
    `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join(' | ')} |`;
  const rule = `|${widths.map((width, i) => (i === 0 ? `${'-'.repeat(width + 2)}` : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(rows[0]), rule, ...rows.slice(1).map(line)].join('\n');
}
