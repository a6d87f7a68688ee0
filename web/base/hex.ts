/** A line of a hex dump. */
export interface HexLine {
  readonly offset: number;
  /** Padded to the same length on every line. */
  readonly hex: string;
  /** Printable ASCII; a dot for each other byte. */
  readonly text: string;
}

const PER_LINE = 8;

/** Bytes as hexadecimal and text, eight a line. */
export function hexDump(bytes: Uint8Array): HexLine[] {
  const lines: HexLine[] = [];
  for (let offset = 0; offset < bytes.length; offset += PER_LINE) {
    const part = [...bytes.subarray(offset, offset + PER_LINE)];
    const hex = part.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const text = part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    lines.push({ offset, hex: hex.padEnd(PER_LINE * 3 - 1), text });
  }
  return lines;
}
