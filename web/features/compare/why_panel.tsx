import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { formatCount, formatCounted } from '../../base/format.ts';
import { type Column, Table } from '../../parts/table.tsx';
import type { Pair } from '../../timeline/open_trace.ts';
import { type FoundWhy, ORIGINS, type SharedSteps } from './protocol.ts';
import { textOf } from './record_text.ts';
import { reveal } from './shown.ts';
import { keyOf, type Why } from './why.ts';
import { wordsOf } from './work.ts';

interface Props {
  readonly why: Why;
  readonly pair: Pair;
  /** Keys of the fields that are compared. */
  readonly fields: readonly string[];
}

/** Why the paths of two executions part: the steps from the cause on, and what differs where they part. */
export function WhyTheyPart({ why, pair, fields }: Props) {
  useEffect(why.ask, [why]);
  const state = why.state.value;
  if (state.at !== 'done') {
    return (
      <p class="panel-note muted">
        {state.at === 'working' ? wordsOf(state).replace('Comparing', 'Following values') : wordsOf(state)}
      </p>
    );
  }
  const { found } = state;
  const show = (a: number, b: number) => void why.records(a, b).then((ends) => reveal(pair, ends));
  return (
    <>
      <p class="difference-sentence why-sentence" role="status">
        <WhyWords found={found} show={show} />
      </p>
      <div class="why-both grow">
        {found.chain.a.length > 0 && (
          <Steps
            {...{ why, pair, fields, show }}
            label="From the cause to where the paths part"
            id="why-chain"
            steps={found.chain}
            hasCode
          />
        )}
        <Steps
          {...{ why, pair, fields, show }}
          label="What differs where the paths part"
          id="why-state"
          steps={found.state}
          empty="No value that a step has written differs there."
        />
      </div>
    </>
  );
}

const CAUSES = {
  step: 'The cause is a step that read the same values in both and wrote another one.',
  instruction: 'The cause is an instruction that differs.',
  input: 'The cause is a value that differs and that no step has written, such as input.',
} as const;

/** What was found, in words. */
export function WhyWords({ found, show }: { found: FoundWhy; show: (a: number, b: number) => void }) {
  const { a, b, origin, differing, isCut } = found;
  const values = differing === 0 ? 'No value differs' : `Values differ in ${formatCounted(differing, 'step')}`;
  const cut = isCut ? 'The traces differ in too much to be followed further. ' : '';
  if (a < 0) return <>{`${cut}The paths are the same. ${values}.`}</>;
  const cause = ORIGINS[origin];
  return (
    <>
      {cut}
      {'The paths part at '}
      <button type="button" class="plain link" onClick={() => show(a, b)}>
        {a === b ? `step ${formatCount(a)}` : `step ${formatCount(a)} of A and ${formatCount(b)} of B`}
      </button>
      {`. ${values} before. `}
      {cause ? CAUSES[cause] : 'No step before read a value that differs: the reason is not in these traces.'}
    </>
  );
}

interface StepsProps extends Props {
  readonly label: string;
  readonly id: string;
  readonly steps: SharedSteps;
  readonly hasCode?: boolean;
  readonly empty?: string;
  readonly show: (a: number, b: number) => void;
}

/** Steps of both with a value that differs. A chosen one is selected in both traces. */
function Steps({ why, pair, fields, label, id, steps, hasCode = false, empty, show }: StepsProps) {
  const current = useSignal(-1);
  const rows = why.rows.value;
  const pairAt = (at: number) => [steps.a[at]!, steps.b[at]!] as const;
  const value = (side: 'a' | 'b'): Column<number> => ({
    id: `value-${side}`,
    title: `In ${side.toUpperCase()}`,
    class: 'words',
    width: hasCode ? '90px' : undefined,
    cell: (at) => {
      const digits = (side === 'a' ? steps.valuesA : steps.valuesB)[at];
      return digits ? <mark data-side={side}>{shortHex(digits)}</mark> : '';
    },
    look: (at) => ({ class: 'mono', title: hexOf((side === 'a' ? steps.valuesA : steps.valuesB)[at] ?? '') }),
  });
  const columns: readonly Column<number>[] = [
    {
      title: hasCode ? 'Step' : 'Set at',
      width: '80px',
      cell: (at) => {
        const [a, b] = pairAt(at);
        return a === b ? formatCount(a) : `${formatCount(a)} / ${formatCount(b)}`;
      },
    },
    ...(hasCode
      ? [
          {
            title: 'Instruction',
            class: 'words',
            cell: (at: number) => {
              const [row] = rows.get(keyOf(...pairAt(at))) ?? [];
              return row ? codeOf(textOf(pair.a, row, fields)) : '…';
            },
            look: (at: number) => {
              const [row] = rows.get(keyOf(...pairAt(at))) ?? [];
              return { class: 'mono', title: row ? textOf(pair.a, row, fields) : undefined };
            },
          },
        ]
      : []),
    {
      title: hasCode ? 'Hands on' : 'Differs',
      class: 'words',
      width: '96px',
      cell: (at) => steps.cells[at] ?? '',
      look: () => ({ class: 'mono' }),
    },
    value('a'),
    value('b'),
  ];
  return (
    <Table
      label={label}
      id={id}
      class="beside"
      minWidth={hasCode ? '480px' : '320px'}
      count={steps.a.length}
      row={(at) => at}
      columns={columns}
      narrowedBy={[]}
      current={current.value}
      empty={empty}
      choose={(at) => {
        current.value = at;
        show(...pairAt(at));
      }}
      want={(first, end) => {
        if (hasCode) why.want(Array.from({ length: end - first }, (_, k) => pairAt(first + k)));
      }}
    />
  );
}

/** The instruction of a step, without its address and without what it read and wrote. */
function codeOf(text: string): string {
  const [address, code] = text.split('  ');
  return code ?? address ?? '';
}

function hexOf(digits: string): string {
  return digits && `0x${digits}`;
}

/** A value without its leading zeros. */
function shortHex(digits: string): string {
  return `0x${digits.replace(/^0+(?=.)/, '')}`;
}
