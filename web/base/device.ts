/** Memory of the machine in GiB, where the browser says it: rounded, and 8 at most. null elsewhere. */
export function deviceMemory(): number | null {
  const { navigator } = globalThis as { readonly navigator?: { readonly deviceMemory?: number } };
  return navigator?.deviceMemory ?? null;
}

/** Bytes of a trace per GiB of memory: half of it, because the browser and other programs need some, too. */
const ROOM = 2 ** 29;

/** Most bytes of a trace on a machine that has little memory; null on others. */
export function roomForTrace(): number | null {
  const memory = deviceMemory();
  return memory !== null && memory < 8 ? memory * ROOM : null;
}
