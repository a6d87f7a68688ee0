import type { Dispose } from '../base/scope.ts';
import type { OpenTrace } from '../model/workbench.ts';

/**
 * Makes something of an open trace when it is first asked for. It keeps what it knows while nothing shows it, and is disposed of
 * with the trace. null is made again.
 */
export function perTrace<T extends object | null>(make: (open: OpenTrace) => T): (open: OpenTrace) => T {
  const all = new WeakMap<OpenTrace, T>();
  return (open) => {
    const known = all.get(open);
    if (known) return known;
    const made = make(open);
    if (!made) return made;
    all.set(open, made);
    const { dispose } = made as { readonly dispose?: Dispose };
    if (dispose) open.scope.add(dispose);
    return made;
  };
}
