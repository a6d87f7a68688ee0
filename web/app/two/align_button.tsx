import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { formatPosition } from '../../base/format.ts';
import { Popover, PopoverButton } from '../../parts/popover.tsx';
import { alignmentOf } from '../../timeline/alignment.ts';
import type { OpenTrace, Pair } from '../../timeline/open_trace.ts';
import { alignAtCall, alignAtSelections, selectedCall } from './align.ts';

/** What stands below each other in both timelines, and the choice of that. `front` is the trace that the panels are about. */
export function AlignButton({ pair, front }: { pair: Pair; front: OpenTrace }) {
  const { chosen } = alignmentOf(pair);
  const now = chosen.value;
  return (
    <PopoverButton
      place="align-place"
      look="plain"
      title="Choose what stands below each other"
      content={(close) => <Choices pair={pair} front={front} close={close} />}
    >
      {now ? `Aligned at ${at(pair.a, now.a)} and ${at(pair.b, now.b)}` : 'Aligned at the start'}
    </PopoverButton>
  );
}

/** A position as on the ruler. */
function at({ trace }: OpenTrace, position: bigint): string {
  const info = trace.info.value;
  const extent = trace.progress.value.extent;
  return info && extent ? formatPosition(position, extent.from, info.clock) : `${position}`;
}

/** The number of the first call. */
const FIRST = '1';

function Choices({ pair, front, close }: { pair: Pair; front: OpenTrace; close: () => void }) {
  const alignment = alignmentOf(pair);
  const name = useSignal('');
  /** null: nothing was typed or suggested. */
  const number = useSignal<string | null>(null);
  const why = useSignal('');
  const hasBoth = pair.a.selection.place() !== null && pair.b.selection.place() !== null;
  // What is selected is the first suggestion. It may be found after the user has begun to type.
  useEffect(() => {
    void selectedCall(front).then((call) => {
      if (!call || name.peek() !== '') return;
      name.value = call.text;
      number.value ??= String(call.n + 1);
    });
  }, [front]);
  const align = async () => {
    why.value = '';
    why.value = await alignAtCall(pair, name.peek().trim(), Math.max(0, Number(number.peek() ?? FIRST) - 1));
    if (why.peek() === '') close();
  };
  const begin = (run: () => void) => () => {
    run();
    close();
  };
  return (
    <Popover class="align-choices" label="Align the timelines">
      <button type="button" onClick={begin(() => alignment.align(null))}>
        At the start of both
      </button>
      <button
        type="button"
        disabled={!hasBoth}
        title={hasBoth ? '' : 'Select something in each timeline'}
        onClick={begin(() => alignAtSelections(pair))}
      >
        At what is selected in both
      </button>
      <form
        class="row wrap"
        onSubmit={(event) => {
          event.preventDefault();
          void align();
        }}
      >
        <label class="row">
          At call
          <input
            class="align-number"
            type="number"
            min="1"
            value={number.value ?? FIRST}
            onInput={(event) => {
              number.value = event.currentTarget.value;
            }}
          />
        </label>
        <label class="row grow">
          of
          <input
            class="grow"
            placeholder="function"
            value={name.value}
            spellcheck={false}
            onInput={(event) => {
              name.value = event.currentTarget.value;
            }}
          />
        </label>
        <button type="submit" disabled={name.value.trim() === ''}>
          Align
        </button>
      </form>
      {why.value !== '' && <p role="alert">{why.value}</p>}
    </Popover>
  );
}
