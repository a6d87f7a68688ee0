/** The types of numbers that buffers hold, and how elements of them are read. Traces are little-endian. */

export interface NumberType {
  /** As OpenGL has it. */
  readonly constant: number;
  readonly name: string;
  /** Of one number, or of all that are packed together. */
  readonly bytes: number;
  readonly read: (view: DataView, at: number) => number;
  /** Of integers: what stands for 1 where they are normalised. */
  readonly most?: number;
}

/** Numbers that stand for themselves. */
const NUMBER_TYPES: readonly NumberType[] = [
  { constant: 0x1406, name: 'float', bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  { constant: 0x140b, name: 'half float', bytes: 2, read: (view, at) => half(view.getUint16(at, true)) },
  { constant: 0x1400, name: 'byte', bytes: 1, read: (view, at) => view.getInt8(at), most: 0x7f },
  { constant: 0x1401, name: 'unsigned byte', bytes: 1, read: (view, at) => view.getUint8(at), most: 0xff },
  { constant: 0x1402, name: 'short', bytes: 2, read: (view, at) => view.getInt16(at, true), most: 0x7fff },
  { constant: 0x1403, name: 'unsigned short', bytes: 2, read: (view, at) => view.getUint16(at, true), most: 0xffff },
  { constant: 0x1404, name: 'int', bytes: 4, read: (view, at) => view.getInt32(at, true), most: 0x7fff_ffff },
  { constant: 0x1405, name: 'unsigned int', bytes: 4, read: (view, at) => view.getUint32(at, true), most: 0xffff_ffff },
  { constant: 0x140a, name: 'double', bytes: 8, read: (view, at) => view.getFloat64(at, true) },
  { constant: 0x140c, name: 'fixed', bytes: 4, read: (view, at) => view.getInt32(at, true) / 65536 },
];

/** A type by its constant. */
export function numberType(constant: number): NumberType | undefined {
  return NUMBER_TYPES.find((type) => type.constant === constant);
}

/** What an element consists of. `size` is the number of components, or `GL_BGRA`. */
export interface ElementFormat {
  readonly size: number;
  readonly type: number;
  readonly isNormalized: boolean;
}

/** How an element is read: its bytes, and its numbers, which `read` puts into `into`. */
export interface Element {
  readonly bytes: number;
  readonly count: number;
  readonly read: (view: DataView, at: number, into: Float64Array) => void;
}

const BGRA = 0x80e1;
const UNSIGNED_10_10_10_2 = 0x8368;
const SIGNED_10_10_10_2 = 0x8d9f;
const FLOATS_11 = 0x8c3b;

/** How elements of a format are read. null for a format that does not exist. */
export function elementOf({ size, type, isNormalized }: ElementFormat): Element | null {
  const swaps = size === BGRA;
  const count = swaps ? 4 : size;
  if (count < 1 || count > 4) return null;
  const place = (i: number) => (swaps && i !== 1 && i !== 3 ? 2 - i : i);
  if (type === UNSIGNED_10_10_10_2 || type === SIGNED_10_10_10_2) {
    const isSigned = type === SIGNED_10_10_10_2;
    return {
      bytes: 4,
      count,
      read: (view, at, into) => {
        const word = view.getUint32(at, true);
        for (let i = 0; i < count; i += 1) into[place(i)] = field(word, 10 * i, i < 3 ? 10 : 2, isSigned, isNormalized);
      },
    };
  }
  if (type === FLOATS_11) {
    return {
      bytes: 4,
      count: 3,
      read: (view, at, into) => {
        const word = view.getUint32(at, true);
        // A half float has the same exponent, and more mantissa.
        into[0] = half((word & 0x7ff) << 4);
        into[1] = half(((word >>> 11) & 0x7ff) << 4);
        into[2] = half((word >>> 22) << 5);
      },
    };
  }
  const found = numberType(type);
  if (!found) return null;
  const { bytes, read, most } = found;
  const scaled = isNormalized && most !== undefined;
  return {
    bytes: bytes * count,
    count,
    read: (view, at, into) => {
      for (let i = 0; i < count; i += 1) {
        const number = read(view, at + i * bytes);
        into[place(i)] = scaled ? Math.max(-1, number / most) : number;
      }
    },
  };
}

/** A field of a packed number. */
function field(word: number, from: number, bits: number, isSigned: boolean, isNormalized: boolean): number {
  const all = (word >>> from) & ((1 << bits) - 1);
  const number = isSigned && all >= 1 << (bits - 1) ? all - (1 << bits) : all;
  if (!isNormalized) return number;
  return Math.max(-1, number / ((1 << (isSigned ? bits - 1 : bits)) - 1));
}

/** A floating point number of 16 bits. */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const mantissa = (bits & 0x3ff) / 1024;
  if (exponent === 31) return mantissa === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (exponent === 0 ? mantissa * 2 ** -14 : (1 + mantissa) * 2 ** (exponent - 15));
}
