import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatCount } from '../../base/format.ts';
import { CHANGED, type MemoryState, READ, UNKNOWN } from '../../base/steps_protocol.ts';
import type { Machine, Shown } from '../../model/machine.ts';
import { numberOf, parseAddress } from '../../model/register_values.ts';
import { hexText } from '../../model/values.ts';
import { useOneTabStop } from '../parts/one_tab_stop.ts';
import { Arrows, Step } from './arrows.tsx';

/** Which memory is shown: around what the step accesses, the stack, or an address. */
export type MemoryPlace =
  | { readonly at: 'step' }
  | { readonly at: 'stack' }
  | { readonly at: 'address'; readonly address: bigint };

/** Bytes of a line, and of the window. */
const LINE = 8;
const LEN = 96;
/** Lines before what the window is about. */
const BEFORE = 2n;
/** Accesses of a step that are listed. */
const MOST_ACCESSES = 8;
const LAST = 0xffff_ffff_ffff_ffffn;

interface Window {
  readonly step: number;
  readonly address: bigint;
  readonly memory: MemoryState;
}

/** Memory before a step, as bytes and text. */
export function MemoryWindow({
  machine,
  shown,
  place,
}: {
  machine: Machine;
  shown: Shown;
  place: Signal<MemoryPlace>;
}) {
  const window = useSignal<Window | null>(null);
  const wanted = addressOf(place.value, shown);
  useEffect(() => {
    if (wanted === null) {
      window.value = null;
      return undefined;
    }
    let current = true;
    void machine.memory(shown.step, wanted, LEN).then((memory) => {
      if (current && memory) window.value = { step: shown.step, address: wanted, memory };
    });
    return () => {
      current = false;
    };
  }, [machine, shown, wanted]);
  const about = place.value.at === 'step' ? touchedBy(shown) : [];
  return (
    <section class="state-part" aria-label="Memory">
      <div class="state-head">
        <h3>Memory</h3>
        <Choice place={place} />
      </div>
      {wanted === null && (
        <p class="muted">
          {place.value.at === 'stack' ? 'The stack pointer is unknown here.' : 'This step accesses no memory.'}
        </p>
      )}
      {place.value.at === 'step' && <Accesses shown={shown} />}
      {wanted !== null && window.value && <Bytes machine={machine} window={window.value} about={about} />}
    </section>
  );
}

/** What the step reads from memory and writes to it. */
function Accesses({ shown }: { shown: Shown }) {
  const accesses = shown.state.accesses.filter(({ register }) => register === null).slice(0, MOST_ACCESSES);
  return (
    <ul class="state-accesses">
      {accesses.map(({ written, address, value }, i) => (
        <li key={`${address} ${i}`}>
          <span class={written ? 'state-writes' : 'state-reads'}>{written ? 'writes' : 'reads'}</span>{' '}
          <span class="mono">
            {[...value.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')}
            {value.length > 16 && '…'}
          </span>{' '}
          <span class="muted">at {hexText(address)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Where the window begins. null if there is none. */
function addressOf(place: MemoryPlace, { state }: Shown): bigint | null {
  const address = (() => {
    if (place.at === 'address') return place.address;
    if (place.at === 'step') return state.accesses.find(({ register }) => register === null)?.address ?? null;
    const pointer = state.registers.find(({ isStackPointer, value }) => isStackPointer && value)?.value;
    return pointer ? numberOf(pointer) : null;
  })();
  if (address === null) return null;
  const line = address - (address % BigInt(LINE));
  const before = place.at === 'stack' ? 0n : BEFORE * BigInt(LINE);
  const first = line > before ? line - before : 0n;
  const last = LAST - BigInt(LEN - 1);
  return first < last ? first : last;
}

/** The bytes that a step accesses, as ranges. */
function touchedBy({ state }: Shown): readonly (readonly [from: bigint, to: bigint])[] {
  return state.accesses
    .filter(({ register }) => register === null)
    .map(({ address, value }) => [address, address + BigInt(value.length)]);
}

function Choice({ place }: { place: Signal<MemoryPlace> }) {
  const wrong = useSignal(false);
  const { at } = place.value;
  return (
    <>
      <fieldset class="state-choice">
        <legend class="unseen">Which memory</legend>
        <button type="button" aria-pressed={at === 'step'} onClick={() => (place.value = { at: 'step' })}>
          This step
        </button>
        <button type="button" aria-pressed={at === 'stack'} onClick={() => (place.value = { at: 'stack' })}>
          Stack
        </button>
      </fieldset>
      <form
        class="state-address"
        onSubmit={(event) => {
          event.preventDefault();
          const field = event.currentTarget.elements.namedItem('address');
          const address = field instanceof HTMLInputElement ? parseAddress(field.value) : null;
          wrong.value = address === null;
          if (address !== null) place.value = { at: 'address', address };
        }}
      >
        <input
          name="address"
          class="mono"
          key={place.value.at === 'address' ? hexText(place.value.address) : at}
          defaultValue={place.value.at === 'address' ? hexText(place.value.address) : ''}
          placeholder="0x address"
          aria-label="Address of memory"
          aria-invalid={wrong.value}
          spellcheck={false}
          autocomplete="off"
        />
      </form>
    </>
  );
}

function Bytes({
  machine,
  window,
  about,
}: {
  machine: Machine;
  window: Window;
  about: readonly (readonly [bigint, bigint])[];
}) {
  const box = useRef<HTMLDivElement>(null);
  useOneTabStop(box);
  /** The byte that is looked at: its address. */
  const chosen = useSignal<bigint | null>(null);
  const { address, memory } = window;
  const lines = Array.from({ length: LEN / LINE }, (_, line) => line * LINE);
  const at = chosen.value === null ? -1 : Number(chosen.value - address);
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
                    aria-pressed={i === at}
                    aria-label={`${hexText(here)}: ${wordsOf(memory, i)}`}
                    title={`${hexText(here)}: ${wordsOf(memory, i)}`}
                    onClick={() => (chosen.value = here)}
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
      {at >= 0 && at < LEN && chosen.value !== null && (
        <div class="state-more">
          <p>
            <span class="mono">{hexText(chosen.value)}</span> <span class="muted">{wordsOf(memory, at)}</span>{' '}
            {memory.how[at] !== UNKNOWN && (
              <Step
                label={`Go to step ${formatCount(memory.steps[at]!)}`}
                text={formatCount(memory.steps[at]!)}
                go={() => machine.goTo(memory.steps[at]!)}
              />
            )}
          </p>
          <Arrows machine={machine} cell={{ what: 'memory', address: chosen.value, len: 1 }} />
        </div>
      )}
    </>
  );
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
