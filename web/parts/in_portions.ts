import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { inTurns, type Portions } from '../base/portions.ts';
import type { Dispose } from '../base/scope.ts';

/**
 * The result of work in portions; null until it is done, and where `begin` returns null. The work is done again when `subject` or `manner`
 * changes. Of the same subject, the result before stays until then. Little work is done at once.
 */
export function useInPortions<T>(
  begin: () => Portions<T> | null,
  subject: readonly unknown[],
  manner: readonly unknown[],
): T | null {
  const outcome = useRef<{ readonly subject: readonly unknown[]; readonly result: T } | null>(null);
  const stop = useRef<Dispose | null>(null);
  const results = useSignal(0);
  void results.value;
  const current = useMemo(() => subject, subject);
  useMemo(() => {
    stop.current?.();
    stop.current = null;
    const work = begin();
    if (!work) {
      outcome.current = null;
      return;
    }
    let isAtOnce = true;
    stop.current = inTurns(work, (result) => {
      outcome.current = { subject: current, result };
      if (!isAtOnce) results.value += 1;
    });
    isAtOnce = false;
  }, [current, ...manner]);
  useEffect(() => () => stop.current?.(), []);
  return outcome.current?.subject === current ? outcome.current.result : null;
}
