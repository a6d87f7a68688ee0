import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Details, TraceError } from '../base/protocol.ts';
import type { Dispose } from '../base/scope.ts';
import type { Pointed } from './pointing.ts';
import type { Trace } from './trace.ts';

/** The details of the selected item. */
export type Known =
  | { readonly at: 'asking' }
  | { readonly at: 'known'; readonly details: Details }
  | { readonly at: 'unknown'; readonly error: TraceError | null };

/** The hovered and the selected item. */
export interface Selection {
  readonly hovered: Signal<Pointed | null>;
  readonly selected: Signal<Pointed | null>;
  /** null without a selection. The previous details stay until the new ones arrive. */
  readonly known: ReadonlySignal<Known | null>;
  dispose: Dispose;
}

/** An empty selection in a trace. */
export function createSelection(trace: Trace): Selection {
  const hovered = signal<Pointed | null>(null);
  const selected = signal<Pointed | null>(null);
  const known = signal<Known | null>(null);
  const dispose = effect(() => {
    const item = selected.value?.item ?? null;
    if (!item) {
      known.value = null;
      return;
    }
    if (known.peek()?.at !== 'known') known.value = { at: 'asking' };
    let current = true;
    trace.details(item).then((reply) => {
      if (!current) return;
      known.value = reply?.details
        ? { at: 'known', details: reply.details }
        : { at: 'unknown', error: reply?.error ?? null };
    });
    return () => {
      current = false;
    };
  });
  return { hovered, selected, known, dispose };
}
