import { useEffect, useRef } from 'preact/hooks';
import { formatCount, formatCounted } from '../../base/format.ts';
import { hexText } from '../../base/hex.ts';
import type { Cell, StepAccess } from '../../base/steps_protocol.ts';
import { useOneTabStop } from '../../parts/one_tab_stop.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { KeepButton } from '../../timeline/widgets/keep.tsx';
import { fieldKey, memoryKey } from '../../trace/derived.ts';
import { accessTerm } from '../../trace/find_terms.ts';
import type { Machine, ShownHistory } from '../../trace/machine.ts';
import { registerText } from './register_values.ts';

/** Bytes of memory whose values are a number. */
const MOST_KEPT = 8;

/** The steps around the selected one that access a register or memory. */
export function History({ open, machine }: { open: OpenTrace; machine: Machine }) {
  const history = machine.history.value;
  return history && <Part open={open} machine={machine} history={history} />;
}

function Part({
  open,
  machine,
  history: { cell, part },
}: {
  open: OpenTrace;
  machine: Machine;
  history: ShownHistory;
}) {
  const list = useRef<HTMLOListElement>(null);
  useOneTabStop(list);
  useEffect(() => {
    // Scrolls the list alone, not the pane.
    const at = part.rows.findIndex((row) => row.step >= (machine.step.peek() ?? 0));
    const current = list.current?.children[at];
    if (list.current && current instanceof HTMLElement)
      list.current.scrollTop = current.offsetTop - list.current.clientHeight / 2;
  }, [part]);
  const last = part.first + new Set(part.rows.map(({ step }) => step)).size;
  const step = machine.step.value;
  const isPart = part.first > 0 || last < part.count;
  return (
    <section class="state-part" aria-label={`History of ${titleOf(cell)}`}>
      <div class="state-head row wrap">
        <h2>History of {titleOf(cell)}</h2>
        <button
          type="button"
          class="plain icon"
          aria-label="Close the history"
          title="Close"
          onClick={() => machine.showHistory(null)}
        >
          ×
        </button>
      </div>
      <p class="muted">
        {formatCounted(part.count, 'step')}
        {machine.indexed.value?.done === false && ' so far'}
        {isPart && `, ${formatCount(part.first + 1)} to ${formatCount(last)} shown`}
      </p>
      <Elsewhere open={open} cell={cell} />
      <ol class="state-history thin-scroll" ref={list}>
        {part.rows.map((row, i) => (
          <li key={`${row.step} ${i}`}>
            <button
              type="button"
              class="plain state-access small"
              aria-current={row.step === step ? 'step' : undefined}
              onClick={() => machine.goTo(row.step)}
            >
              <span>{formatCount(row.step)}</span>
              <span class={row.written ? 'state-writes' : 'state-reads'}>{row.written ? 'writes' : 'reads'}</span>
              <span class="mono">{textOf(row)}</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Shows the instructions that access a cell in Hits and on the timeline, and its values as a track. */
function Elsewhere({ open, cell }: { open: OpenTrace; cell: Cell }) {
  const title = titleOf(cell);
  const track = trackOf(open, cell);
  return (
    <p class="state-elsewhere">
      <button
        type="button"
        class="plain link"
        title={`Find all instructions that read or write ${title}`}
        onClick={() => open.find.ask(accessTerm(cell))}
      >
        Find all
      </button>
      {track && (
        <KeepButton
          keeping={open.derived.keeping.value.get(track.key)}
          reading={false}
          title={track.title}
          onClick={track.keep}
          stop={() => open.derived.stop(track.key)}
        />
      )}
    </p>
  );
}

/** The track of the values of a cell; null if they are too long for numbers. */
function trackOf({ derived }: OpenTrace, cell: Cell) {
  if (cell.what === 'register') {
    const { name } = cell;
    const field = { path: ['written', name], ofName: false, label: `${name} written` };
    const title = `Show the values that are written to ${name} on a track`;
    return { key: fieldKey(field, -1), title, keep: () => derived.keepField(field, -1) };
  }
  const { address, len } = cell;
  if (len > MOST_KEPT) return null;
  const title = `Show the values of ${titleOf(cell)} on a track`;
  return { key: memoryKey(address, len), title, keep: () => derived.keepMemory(address, len) };
}

/** The name of a register, or where memory is, which leads to all steps that read or write it. */
export function CellLink({ machine, cell }: { machine: Machine; cell: Cell }) {
  const title = titleOf(cell);
  return (
    <button
      type="button"
      class="plain link mono"
      title={`Steps that read or write ${title}`}
      onClick={() => machine.showHistory(cell)}
    >
      {title}
    </button>
  );
}

/** A cell in words. */
export function titleOf(cell: Cell): string {
  if (cell.what === 'register') return cell.name;
  return cell.len === 1 ? hexText(cell.address) : `${formatCounted(cell.len, 'byte')} at ${hexText(cell.address)}`;
}

/** The value of an access. */
export function textOf({ register, value }: Pick<StepAccess, 'register' | 'value'>): string {
  if (register !== null) return registerText(value);
  return [...value.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
}
