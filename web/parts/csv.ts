/** Characters with which spreadsheets begin a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[+-]?(\d[\d,_]*)?\.?\d*(e[+-]?\d+)?$/i;

/** A field of comma-separated values (RFC 4180). A text that a spreadsheet would take for a formula begins with an apostrophe. */
export function csvField(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe.trim() !== safe ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A row of comma-separated values, with its line end. */
export function csvRow(fields: readonly string[]): string {
  return `${fields.map(csvField).join(',')}\r\n`;
}
