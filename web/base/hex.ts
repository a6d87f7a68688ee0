/** A line of a hex dump. */
export interface HexLine {
  /** Of the first byte of the line. */
  readonly offset: number;
  /** Padded to the same length in every line. */
  readonly hex: string;
  /** Printable ASCII; a dot for each other byte. */
  readonly text: string;
}

/** Bytes a line. */
const PER_LINE = 8;

/** Number of lines of a dump. */
export function hexLines(bytes: Uint8Array): number {
  return Math.ceil(bytes.length / PER_LINE);
}

/** The line with index `line` of a dump, eight bytes a line. */
export function hexLine(bytes: Uint8Array, line: number): HexLine {
  const offset = line * PER_LINE;
  const part = [...bytes.subarray(offset, offset + PER_LINE)];
  const hex = part.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
  const text = part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
  return { offset, hex: hex.padEnd(PER_LINE * 3 - 1), text };
}

/** A number in hexadecimal with its sign: `0x1f`, `-0x1f`. */
export function hexText(value: bigint): string {
  return value < 0n ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`;
}
