import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { formatCount, shortened } from '../../base/format.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { useOneTabStop } from '../../parts/one_tab_stop.ts';

/** Names and values. They are one stop of the tab key; arrow keys lead from value to value. */
export function FactList({ children }: { children: ComponentChildren }) {
  const box = useRef<HTMLDListElement>(null);
  useOneTabStop(box);
  return (
    <dl class="fields" ref={box}>
      {children}
    </dl>
  );
}

/** A name as a heading. A long one is cut, and a click shows all of it. */
export function LongTitle({ name }: { name: string }) {
  const whole = useSignal(false);
  const short = shortened(name);
  if (short === name) return <h2>{name}</h2>;
  return (
    <h2>
      {whole.value ? <Copyable text={name}>{name}</Copyable> : short}{' '}
      <button type="button" class="plain link" onClick={() => (whole.value = !whole.value)}>
        {whole.value ? 'Show less' : `Show all ${formatCount(name.length)} characters`}
      </button>
    </h2>
  );
}
