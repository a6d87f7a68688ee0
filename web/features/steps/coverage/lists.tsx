import { type Signal, signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { CoverageWith, StepRange } from '../../../base/steps_protocol.ts';
import { Segments } from '../../../parts/segments.tsx';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import type { Machine } from '../../../trace/machine.ts';

/** A list of executed code, as a drcov file. */
export interface KeptList {
  readonly name: string;
  readonly file: Uint8Array;
}

/** Lists that the user has kept or chosen. They outlive a trace, so that two traces can be compared, and ranges of one. */
const lists = signal<readonly KeptList[]>([]);

/** The steps that the panel covers: those of the range. */
export function stepsOf({ statistics }: OpenTrace): StepRange {
  const range = statistics.range.value;
  return range ? [Number(range.from), Number(range.to)] : [];
}

/** A name for what the range executes. */
export function listNameOf(open: OpenTrace): string {
  const steps = stepsOf(open);
  return steps.length === 0 ? open.trace.name : `${open.trace.name}, ${steps[0]} to ${steps[1] - 1}`;
}

/** What the range executes, as a drcov file. null if there is no index. */
export function drcovOf(open: OpenTrace, machine: Machine): Promise<Uint8Array | null> {
  const { trace } = open;
  const program = trace.info.peek()?.properties.find(([name]) => name === 'Program')?.[1];
  return machine.ask.drcov(stepsOf(open), program ?? 'unknown');
}

interface ListsProps {
  readonly open: OpenTrace;
  readonly machine: Machine;
  /** The list that is joined with the coverage, and how. */
  readonly list: Signal<KeptList | null>;
  readonly how: Signal<CoverageWith['how']>;
}

/** Chooses another list: one that was kept from a trace, or a drcov file. */
export function Lists({ open, machine, list, how }: ListsProps) {
  const input = useRef<HTMLInputElement>(null);
  const name = listNameOf(open);
  /** The name of the list that was kept last. */
  const kept = useSignal('');
  const isKept = kept.value === name;
  const wrong = useSignal('');
  const add = (one: KeptList) => {
    lists.value = [...lists.peek().filter(({ name }) => name !== one.name), one];
    return one;
  };
  const onChange = (event: Event) => {
    const select = event.currentTarget as HTMLSelectElement;
    if (select.value === 'file') input.current?.click();
    else list.value = select.value === '' ? null : (lists.peek()[Number(select.value)] ?? null);
    // Choosing a file may be cancelled.
    select.value = String(list.peek() ? lists.peek().indexOf(list.peek()!) : '');
  };
  return (
    <>
      <select
        class="coverage-list small"
        aria-label="Compare with another list"
        value={list.value ? String(lists.value.indexOf(list.value)) : ''}
        onChange={onChange}
      >
        <option value="">Compare with…</option>
        {lists.value.map(({ name }, i) => (
          <option key={name} value={String(i)}>
            {name}
          </option>
        ))}
        <option value="file">A drcov file…</option>
      </select>
      <input
        ref={input}
        class="unseen"
        type="file"
        tabIndex={-1}
        aria-label="drcov file"
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          event.currentTarget.value = '';
          wrong.value = '';
          void file?.arrayBuffer().then(
            (bytes) => {
              list.value = add({ name: file.name, file: new Uint8Array(bytes) });
            },
            () => {
              wrong.value = `${file.name} cannot be read.`;
            },
          );
        }}
      />
      {wrong.value !== '' && <span role="alert">{wrong.value}</span>}
      {list.value ? (
        <Segments
          label="How to compare"
          options={[
            ['minus', 'Only here'],
            ['common', 'In both'],
            ['plus', 'In either'],
          ]}
          value={how.value}
          choose={(value) => {
            how.value = value;
          }}
        />
      ) : (
        <button
          type="button"
          title="Keep this list to compare another range or trace with it"
          disabled={isKept}
          onClick={() =>
            void drcovOf(open, machine).then((file) => {
              if (!file) return;
              add({ name, file });
              kept.value = name;
            })
          }
        >
          {isKept ? 'List kept' : 'Keep list'}
        </button>
      )}
    </>
  );
}
