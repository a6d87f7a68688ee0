import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatCount, formatCounted } from '../../base/format.ts';
import { hexText } from '../../base/hex.ts';
import { type Cell, CHANGED, type MemoryState, READ, UNKNOWN } from '../../base/steps_protocol.ts';
import { useOneTabStop } from '../../parts/one_tab_stop.ts';
import type { Machine } from '../../trace/machine.ts';
import { Arrows, Step } from './arrows.tsx';

/** Memory before a step, from an address on. */
export interface MemoryOf {
  readonly step: number;
  readonly address: bigint;
  readonly memory: MemoryState;
}

/** Bytes of a line. */
export const LINE = 8;

/** Bytes that are looked at: between two addresses, in either order. */
interface Chosen {
  readonly anchor: bigint;
  readonly head: bigint;
}

/** Turns of the wheel, in CSS pixels, for each access. */
const WHEEL_STEP = 50;
/** Time after a turn of the wheel for which the next one belongs to it: what is above the bytes may have moved them meanwhile. */
const HELD_MS = 600;

interface BytesProps {
  readonly machine: Machine;
  readonly window: MemoryOf;
  /** What the step accesses. */
  readonly about: readonly (readonly [bigint, bigint])[];
  /** Keeps the window at its place, given by its first address, while steps change. */
  readonly stay: (first: bigint) => void;
}

/**
 * The bytes of a window. One of them can be selected, or several by dragging or with Shift. The wheel over what is selected walks
 * through its accesses; elsewhere it scrolls the pane.
 */
export function Bytes({ machine, window, about, stay }: BytesProps) {
  const box = useRef<HTMLDivElement>(null);
  useOneTabStop(box);
  const chosen = useSignal<Chosen | null>(null);
  const { address, memory } = window;
  const length = memory.how.length;
  const range = rangeOf(chosen.value);
  const isChosen = (here: bigint) => range !== null && here >= range.from && here <= range.to;
  const choose = (here: bigint, extend: boolean) => {
    chosen.value = { anchor: extend ? (chosen.peek()?.anchor ?? here) : here, head: here };
    stay(address);
  };
  useWheel(box, machine, () => cellOf(chosen.peek()));
  useEffect(() => {
    const element = box.current;
    // Shift and an arrow extend what is selected, and move the focus along.
    const onKey = (event: KeyboardEvent) => {
      const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -LINE, ArrowDown: LINE }[event.key];
      const current = chosen.peek();
      if (!event.shiftKey || by === undefined || !current) return;
      event.preventDefault();
      event.stopPropagation();
      const head = current.head + BigInt(by);
      if (head < address || head >= address + BigInt(length)) return;
      choose(head, true);
      element?.querySelectorAll<HTMLElement>('.state-byte')[Number(head - address)]?.focus();
    };
    // Before the arrows move the focus alone.
    element?.addEventListener('keydown', onKey, { capture: true });
    return () => element?.removeEventListener('keydown', onKey, { capture: true });
  }, [address, length]);
  const lines = Array.from({ length: length / LINE }, (_, line) => line * LINE);
  return (
    <>
      <div class="state-bytes" ref={box}>
        {lines.map((first) => (
          <div class="state-line" key={first}>
            <span class="muted">
              {hexText(address + BigInt(first))
                .slice(2)
                .padStart(12, '0')}
            </span>
            <span class="state-digits">
              {Array.from({ length: LINE }, (_, i) => first + i).map((i) => {
                const here = address + BigInt(i);
                const isAbout = about.some(([from, to]) => here >= from && here < to);
                return (
                  <button
                    type="button"
                    key={i}
                    class={`state-byte${marksOf(memory.how[i]!)}${isAbout ? ' state-about' : ''}`}
                    aria-pressed={isChosen(here)}
                    aria-label={`${hexText(here)}: ${wordsOf(memory, i)}`}
                    title={`${hexText(here)}: ${wordsOf(memory, i)}`}
                    onPointerDown={(event) => {
                      if (event.button === 0) choose(here, event.shiftKey);
                    }}
                    onPointerEnter={(event) => {
                      if (event.buttons & 1 && chosen.peek()) choose(here, true);
                    }}
                    onClick={(event) => {
                      // By key: a pointer has chosen already.
                      if (event.detail === 0) choose(here, event.shiftKey);
                    }}
                  >
                    {digitsOf(memory, i)}
                  </button>
                );
              })}
            </span>
            <span class="state-text" aria-hidden="true">
              {lineText(memory, first)}
            </span>
          </div>
        ))}
      </div>
      {range && range.from >= address && range.to < address + BigInt(length) && (
        <About machine={machine} window={window} from={range.from} to={range.to} />
      )}
    </>
  );
}

/** What is known of the selected bytes, and where they are accessed. */
function About({ machine, window, from, to }: { machine: Machine; window: MemoryOf; from: bigint; to: bigint }) {
  const { address, memory } = window;
  const [at, len] = [Number(from - address), Number(to - from) + 1];
  return (
    <div class="state-more">
      {len === 1 ? (
        <p>
          <span class="mono">{hexText(from)}</span> <span class="muted">{wordsOf(memory, at)}</span>{' '}
          {memory.how[at] !== UNKNOWN && (
            <Step
              label={`Go to step ${formatCount(memory.steps[at]!)}`}
              text={formatCount(memory.steps[at]!)}
              go={() => machine.goTo(memory.steps[at]!)}
            />
          )}
        </p>
      ) : (
        <p>
          <span class="mono">
            {hexText(from)} … {hexText(to)}
          </span>{' '}
          <span class="muted">{formatCounted(len, 'byte')}</span>
        </p>
      )}
      <Arrows machine={machine} cell={{ what: 'memory', address: from, len }} />
    </div>
  );
}

/** Leads to the next or previous access of a cell when the wheel is turned over what is selected. */
function useWheel(box: { readonly current: HTMLElement | null }, machine: Machine, cell: () => Cell | null): void {
  useEffect(() => {
    const element = box.current?.closest<HTMLElement>('[role="tabpanel"]');
    if (!element) return undefined;
    let turned = 0;
    let heldUntil = 0;
    /** A walk begins where the one before has led. */
    let latest: Promise<unknown> = Promise.resolve();
    let waiting = 0;
    const onWheel = (event: WheelEvent) => {
      const over = event.target instanceof Element && event.target.closest('.state-byte[aria-pressed="true"]');
      const wanted = cell();
      const now = performance.now();
      if ((!over && now > heldUntil) || !wanted || event.deltaY === 0 || event.ctrlKey) return;
      event.preventDefault();
      heldUntil = now + HELD_MS;
      turned += event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : Math.sign(event.deltaY) * WHEEL_STEP;
      const next = turned > 0;
      if (Math.abs(turned) < WHEEL_STEP) return;
      turned = 0;
      // A fast wheel does not queue up more than is seen.
      if (waiting > 1) return;
      waiting += 1;
      latest = latest
        .then(() => machine.goToNearest(wanted, null, next))
        .finally(() => {
          waiting -= 1;
        });
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [box, machine]);
}

function rangeOf(chosen: Chosen | null): { readonly from: bigint; readonly to: bigint } | null {
  if (!chosen) return null;
  const { anchor, head } = chosen;
  return anchor < head ? { from: anchor, to: head } : { from: head, to: anchor };
}

function cellOf(chosen: Chosen | null): Cell | null {
  const range = rangeOf(chosen);
  return range && { what: 'memory', address: range.from, len: Number(range.to - range.from) + 1 };
}

function digitsOf({ values, how }: MemoryState, i: number): string {
  return how[i] === UNKNOWN ? '??' : values[i]!.toString(16).padStart(2, '0');
}

/** How a byte is known, in words. */
function wordsOf(memory: MemoryState, i: number): string {
  const how = memory.how[i]!;
  if (how === UNKNOWN) return 'unknown';
  const value = digitsOf(memory, i);
  const step = formatCount(memory.steps[i]!);
  if (how === CHANGED) return `${value}, read at step ${step}, changed outside the trace`;
  return how === READ ? `${value}, known from a read at step ${step}` : `${value}, written at step ${step}`;
}

function marksOf(how: number): string {
  if (how === UNKNOWN) return ' state-unknown';
  if (how === CHANGED) return ' state-foreign';
  return how === READ ? ' state-read' : '';
}

function lineText({ values, how }: MemoryState, first: number): string {
  let text = '';
  for (let i = first; i < first + LINE; i += 1) {
    const byte = values[i]!;
    if (how[i] === UNKNOWN) text += ' ';
    else text += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.';
  }
  return text;
}
