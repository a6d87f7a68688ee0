/** Bits of the x86 flags register that programs look at, with their names, from the lowest one. */
const X86_FLAGS: readonly (readonly [number, string])[] = [
  [0, 'CF'],
  [2, 'PF'],
  [4, 'AF'],
  [6, 'ZF'],
  [7, 'SF'],
  [8, 'TF'],
  [9, 'IF'],
  [10, 'DF'],
  [11, 'OF'],
];

/** Registers of x86 in the order of their numbers; others come after, by name. */
const FIRST = ['ax', 'bx', 'cx', 'dx', 'si', 'di', 'bp', 'sp'];

/** A little-endian value as a number. */
export function numberOf(value: Uint8Array): bigint {
  let number = 0n;
  for (let i = value.length - 1; i >= 0; i -= 1) number = (number << 8n) | BigInt(value[i]!);
  return number;
}

/** A register's value with all its digits: `0x000000000040a0c0`. */
export function registerText(value: Uint8Array): string {
  return `0x${numberOf(value)
    .toString(16)
    .padStart(2 * value.length, '0')}`;
}

/** A row of what a value may mean: a label, and the text. */
export type Reading = readonly [label: string, text: string];

/** What else a register's value may mean: numbers, flags, text. */
export function readingsOf(name: string, value: Uint8Array): readonly Reading[] {
  const found: Reading[] = [];
  const number = numberOf(value);
  const bits = 8 * value.length;
  if (bits > 0 && bits <= 64) {
    found.push(['Decimal', number.toString()]);
    const signed = BigInt.asIntN(bits, number);
    if (signed < 0n) found.push(['Signed', signed.toString()]);
  }
  if (/^[er]?flags$/i.test(name)) {
    const set = X86_FLAGS.filter(([bit]) => (number >> BigInt(bit)) & 1n).map(([, flag]) => flag);
    found.push(['Flags', set.join(' ') || 'none set']);
  }
  const text = textOf(value);
  if (text !== '') found.push(['Text', text]);
  return found;
}

/** The characters of a value that begins with at least two printable ones and has nothing but zeros after them, else ''. */
function textOf(value: Uint8Array): string {
  const end = value.findIndex((byte) => byte < 0x20 || byte > 0x7e);
  const length = end < 0 ? value.length : end;
  if (length < 2 || value.subarray(length).some((byte) => byte !== 0)) return '';
  return `“${String.fromCharCode(...value.subarray(0, length))}”`;
}

/** Compares names of registers: the numbered ones of x86 first, then by name, `r9` before `r10`. */
export function compareRegisters(a: string, b: string): number {
  const rank = (name: string) => {
    const at = FIRST.indexOf(name.toLowerCase().replace(/^[er]/, ''));
    return at < 0 ? FIRST.length : at;
  };
  return rank(a) - rank(b) || a.localeCompare(b, 'en', { numeric: true });
}

/** An address that a person typed: `0x7ffe10` or `7ffe10`. null if it is not one. */
export function parseAddress(text: string): bigint | null {
  const digits = text.trim().replace(/^0x/i, '');
  return /^[0-9a-f]{1,16}$/i.test(digits) ? BigInt(`0x${digits}`) : null;
}
