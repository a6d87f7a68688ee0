/** Memory of the machine in GiB, where the browser says it: rounded, and 8 at most. null elsewhere. */
export function deviceMemory(): number | null {
  const { navigator } = globalThis as { readonly navigator?: { readonly deviceMemory?: number } };
  return navigator?.deviceMemory ?? null;
}
