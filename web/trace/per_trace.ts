import type { Dispose, Scope } from '../base/scope.ts';
import type { Selection } from './selection.ts';
import type { Trace } from './trace.ts';

/** An open trace, as far as this room knows it. */
export interface Opened {
  readonly trace: Trace;
  readonly selection: Selection;
  /** What it owns is disposed of when the trace leaves the screen. */
  readonly scope: Scope;
}

/**
 * Makes something of an open trace when it is first asked for. It keeps what it knows while nothing shows it, and the scope of the
 * trace owns it.
 */
export function perTrace<Open extends Pick<Opened, 'scope'>, T extends object>(
  make: (open: Open) => T,
): (open: Open) => T {
  const all = new WeakMap<Scope, T>();
  return (open) => {
    const known = all.get(open.scope);
    if (known) return known;
    const made = owned(open.scope, make(open));
    all.set(open.scope, made);
    return made;
  };
}

/** Has a scope own something that may need to be disposed of. Returns it. */
export function owned<T extends object>(scope: Scope, made: T): T {
  const { dispose } = made as { readonly dispose?: Dispose };
  if (dispose) scope.add(dispose);
  return made;
}
