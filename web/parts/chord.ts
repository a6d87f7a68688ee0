/**
 * A key with its modifier: a `KeyboardEvent.key` in lower case, after `ctrl `, `shift ` or `alt ` if it needs Ctrl (or Command),
 * Shift or Alt. Function keys may need two: `ctrl shift `.
 */
export type Chord = string;

const LABELS: Readonly<Record<string, string>> = {
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
  pageup: 'Page Up',
  pagedown: 'Page Down',
};

/** The labels of a chord's keys: `['Ctrl', 'O']`. */
export function labelsOf(chord: Chord): readonly string[] {
  return chord.split(' ').map((key) => LABELS[key] ?? key.charAt(0).toUpperCase() + key.slice(1));
}
