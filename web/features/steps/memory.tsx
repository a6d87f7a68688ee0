import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { hexText } from '../../base/hex.ts';
import { TextField } from '../../parts/text_field.tsx';
import type { Machine, Shown } from '../../trace/machine.ts';
import { Bytes, LINE, type MemoryOf } from './bytes.tsx';
import { numberOf, parseAddress } from './register_values.ts';

/** Which memory is shown: around what the step accesses, the stack, or an address. `first`: the window stays there, at other steps, too. */
export type MemoryPlace =
  | { readonly at: 'step'; readonly first?: bigint }
  | { readonly at: 'stack'; readonly first?: bigint }
  | { readonly at: 'address'; readonly address: bigint };

/** Bytes of the window. */
const LEN = 96;
/** Lines before what the window is about. */
const BEFORE = 2n;
/** Accesses of a step that are listed. */
const MOST_ACCESSES = 8;
const LAST = 0xffff_ffff_ffff_ffffn;

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
  const window = useSignal<MemoryOf | null>(null);
  const wanted = addressOf(place.value, shown);
  useEffect(() => {
    if (wanted === null) {
      window.value = null;
      return undefined;
    }
    let current = true;
    void machine.ask.memory(shown.step, wanted, LEN).then((memory) => {
      if (current && memory) window.value = { step: shown.step, address: wanted, memory };
    });
    return () => {
      current = false;
    };
  }, [machine, shown, wanted]);
  const about = place.value.at === 'step' ? touchedBy(shown) : [];
  return (
    <section class="state-part" aria-label="Memory">
      <div class="state-head row wrap">
        <h2>Memory</h2>
        <Choice place={place} />
      </div>
      {wanted === null && (
        <p class="muted">
          {place.value.at === 'stack' ? 'The stack pointer is unknown here.' : 'This step accesses no memory.'}
        </p>
      )}
      {place.value.at === 'step' && <Accesses shown={shown} />}
      {wanted !== null && window.value && (
        <Bytes
          machine={machine}
          window={window.value}
          about={about}
          stay={(first) => {
            if (place.value.at !== 'address') place.value = { at: place.value.at, first };
          }}
        />
      )}
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
    if (place.first !== undefined) return place.first;
    if (place.at === 'step') return state.accesses.find(({ register }) => register === null)?.address ?? null;
    const pointer = state.registers.find(({ isStackPointer, value }) => isStackPointer && value)?.value;
    return pointer ? numberOf(pointer) : null;
  })();
  if (address === null) return null;
  const line = address - (address % BigInt(LINE));
  const before =
    place.at === 'stack' || (place.at === 'step' && place.first !== undefined) ? 0n : BEFORE * BigInt(LINE);
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
        <button
          type="button"
          class="toggle"
          aria-pressed={at === 'step'}
          onClick={() => (place.value = { at: 'step' })}
        >
          This step
        </button>
        <button
          type="button"
          class="toggle"
          aria-pressed={at === 'stack'}
          onClick={() => (place.value = { at: 'stack' })}
        >
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
        <TextField
          name="address"
          class="mono"
          text={place.value.at === 'address' ? hexText(place.value.address) : ''}
          of={at}
          placeholder="0x address"
          label="Address of memory"
          isWrong={wrong.value}
        />
      </form>
    </>
  );
}
