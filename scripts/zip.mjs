// A zip archive of files in memory: the same files make the same bytes. Programs that make archives add times, owners and an order of
// their own.

import { crc32, deflateRawSync } from 'node:zlib';

/** The first day that the format knows, 1980-01-01, as the format has it. */
const DAY = 0x21;
/** Names are UTF-8. */
const UTF8 = 0x800;
const DEFLATED = 8;
/** Permissions of a file that everybody may read, as Unix has them. */
const READABLE = (0o100644 << 16) >>> 0;
/** Version 2.0, made on Unix. */
const VERSION = 20;
const MADE_BY = (3 << 8) | VERSION;

/**
 * The archive of files, each with its path and its bytes.
 *
 * @param {Iterable<readonly [path: string, bytes: Buffer]>} files
 */
export function zip(files) {
  const parts = [];
  const directory = [];
  let at = 0;
  for (const [path, bytes] of files) {
    const name = Buffer.from(path);
    const data = deflateRawSync(bytes, { level: 9 });
    const about = numbers(
      [VERSION, 2],
      [UTF8, 2],
      [DEFLATED, 2],
      [0, 2],
      [DAY, 2],
      [crc32(bytes), 4],
      [data.length, 4],
      [bytes.length, 4],
      [name.length, 2],
      [0, 2],
    );
    const local = Buffer.concat([numbers([0x04034b50, 4]), about, name, data]);
    parts.push(local);
    directory.push(
      numbers([0x02014b50, 4], [MADE_BY, 2]),
      about,
      numbers([0, 2], [0, 2], [0, 2], [READABLE, 4], [at, 4]),
      name,
    );
    at += local.length;
  }
  const list = Buffer.concat(directory);
  const count = parts.length;
  const end = numbers([0x06054b50, 4], [0, 2], [0, 2], [count, 2], [count, 2], [list.length, 4], [at, 4], [0, 2]);
  return Buffer.concat([...parts, list, end]);
}

/**
 * Numbers in little-endian order, each with its size in bytes.
 *
 * @param {...[value: number, size: number]} fields
 */
function numbers(...fields) {
  const buffer = Buffer.alloc(fields.reduce((sum, [, size]) => sum + size, 0));
  let at = 0;
  for (const [value, size] of fields) at = buffer.writeUIntLE(value, at, size);
  return buffer;
}
