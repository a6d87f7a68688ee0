/** A number as an apitrace has it: seven bits a byte. */
export const uint = (n: number): number[] => (n < 128 ? [n] : [(n & 127) | 128, ...uint(n >>> 7)]);
/** A text as an apitrace has it: its length and its bytes. */
export const text = (it: string) => [...uint(it.length), ...Buffer.from(it)];
