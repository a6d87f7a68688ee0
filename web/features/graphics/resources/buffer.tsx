import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { formatBytes, formatCount, formatCounted, formatNumber } from '../../../base/format.ts';
import type { HeldBytes, ResourceColumns } from '../../../base/survey_protocol.ts';
import { type Column, Table } from '../../../parts/table.tsx';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import type { Survey } from '../../../trace/survey.ts';
import {
  type BufferLayout,
  bytesOf,
  isWithin,
  type LayoutField,
  parseFields,
  suggestedLayouts,
  textOf,
} from '../buffer_layout.ts';
import type { GlStates } from '../gl_state.ts';
import { elementOf } from '../vertex_types.ts';
import { useWritten } from './written.ts';

interface Props {
  readonly open: OpenTrace;
  readonly survey: Survey;
  /** Of the draws that used the buffer. */
  readonly states: GlStates;
  readonly resources: ResourceColumns;
  readonly at: number;
  readonly call: number;
  /** The latest call by which the graphics processor wrote to it. */
  readonly written: number | null;
  readonly go: (call: number) => void;
}

const PLAIN = 'float4';
const UNKNOWN = 'Elements with these are shown as ?: the GPU may have written there, or nothing was uploaded';

/** What is shown: text of fields, and where elements begin. A stride of 0 is their size. */
interface Choice {
  readonly fields: string;
  readonly start: number;
  readonly stride: number;
}

function choiceOf(layout: BufferLayout): Choice {
  const stride = layout.stride === bytesOf(layout.fields) ? 0 : layout.stride;
  return { fields: textOf(layout.fields), start: layout.start, stride };
}

/** What a buffer holds, as a table of elements: as a draw reads it, or as the user says. */
export function BufferBytes({ open, survey, states, resources, at, call, written, go }: Props) {
  const name = resources.name[at]!;
  const contents = useSignal<HeldBytes | null>(null);
  const found = useWritten(
    open,
    written === null ? null : { kind: 'buffer', group: resources.group[at]!, name, level: 0, slice: 0, call },
  ).value;
  const layouts = useSignal<readonly BufferLayout[] | null>(null);
  const choice = useSignal<Choice>({ fields: PLAIN, start: 0, stride: 0 });
  /** The user has chosen: a suggestion that comes late changes nothing. */
  const isChosen = useSignal(false);
  useEffect(() => {
    let current = true;
    void survey.ask.buffer(at, call).then((found) => {
      if (current) contents.value = found;
    });
    return () => {
      current = false;
    };
  }, [survey, at, call]);
  useEffect(() => {
    let current = true;
    const suggest = async () => {
      const events = await survey.ask.events(at);
      const found = events ? await suggestedLayouts(name, call, events, states.at) : [];
      if (!current) return;
      layouts.value = found;
      if (found[0] && !isChosen.peek()) choice.value = choiceOf(found[0]);
    };
    void suggest();
    return () => {
      current = false;
    };
  }, [survey, states, at, name, call]);
  const { fields, wrong } = useMemo(() => {
    try {
      return { fields: parseFields(choice.value.fields), wrong: '' };
    } catch (error) {
      return { fields: [], wrong: (error as Error).message };
    }
  }, [choice.value.fields]);
  const choose = (part: Partial<Choice>) => {
    isChosen.value = true;
    choice.value = { ...choice.value, ...part };
  };
  const suggestions = (layouts.value ?? []).map(choiceOf);
  const current = suggestions.findIndex((it) => JSON.stringify(it) === JSON.stringify(choice.value));
  const held = found?.bytes ?? contents.value?.bytes ?? null;
  // All of a buffer is replayed.
  const unknown = found?.bytes ? 0 : (contents.value?.unknown ?? 0);
  return (
    <div class="buffer column grow">
      <div class="panel-bar buffer-bar">
        {(suggestions.length > 1 || (suggestions.length === 1 && current < 0)) && (
          <select
            aria-label="Layout"
            title="As draws read it"
            value={current}
            onChange={(event) => {
              const chosen = suggestions[Number(event.currentTarget.value)];
              if (chosen) choose(chosen);
            }}
          >
            {suggestions.map((it, i) => (
              <option key={i} value={i}>
                {it.fields}
              </option>
            ))}
            {current < 0 && <option value={-1}>By hand</option>}
          </select>
        )}
        <input
          class="buffer-fields mono"
          aria-label="Fields"
          title="Types and names, such as float3 position, ubyte4n colour @ 16. n: from 0 to 1"
          spellcheck={false}
          value={choice.value.fields}
          aria-invalid={wrong !== ''}
          onInput={(event) => choose({ fields: event.currentTarget.value })}
        />
        <div class="panel-group">
          <Bytes label="Start" value={choice.value.start} set={(start) => choose({ start })} />
          <Bytes
            label="Stride"
            title="Bytes from one element to the next; 0 if they are back-to-back"
            value={choice.value.stride}
            set={(stride) => choose({ stride })}
          />
        </div>
        <span class="muted" title={unknown > 0 ? UNKNOWN : undefined}>
          {held ? formatBytes(held.length) : 'Reading…'}
          {unknown > 0 && ` · ${formatCounted(unknown, 'byte')} unknown`}
          {layouts.value === null && ' · looking for draws that use it…'}
          {written !== null && !found && ' · replaying what was written to it…'}
        </span>
        {found && found.call !== null && (
          <span class="muted">
            {found.problem === '' ? 'Replayed, written by ' : 'Written by '}
            <button type="button" class="plain link" onClick={() => go(found.call!)}>
              call {formatCount(found.call)}
            </button>
          </span>
        )}
      </div>
      {found && found.problem !== '' && (
        <p class="panel-note" role="alert">
          Only uploads are shown. {found.problem}
        </p>
      )}
      {wrong !== '' && (
        <p class="panel-note muted" role="alert">
          {wrong}
        </p>
      )}
      {held && fields.length > 0 && (
        <Elements
          bytes={held}
          knownRanges={unknown > 0 ? (contents.value?.known ?? null) : null}
          fields={fields}
          start={choice.value.start}
          stride={choice.value.stride || bytesOf(fields)}
        />
      )}
    </div>
  );
}

interface BytesProps {
  readonly label: string;
  readonly title?: string;
  readonly value: number;
  readonly set: (value: number) => void;
}

/** A number of bytes. */
function Bytes({ label, title, value, set }: BytesProps) {
  return (
    <label title={title}>
      {label}{' '}
      <input
        type="number"
        min={0}
        value={value}
        onInput={(event) => set(Math.max(0, Math.floor(Number(event.currentTarget.value)) || 0))}
      />
    </label>
  );
}

interface ElementsProps {
  readonly bytes: Uint8Array;
  /** Ranges of the bytes that are known; null if all are. */
  readonly knownRanges: Uint32Array | null;
  readonly fields: readonly LayoutField[];
  readonly start: number;
  readonly stride: number;
}

/** Elements that are sorted at once in the page. */
const MOST_SORTED = 200_000;
const PARTS = ['x', 'y', 'z', 'w'];

/** A row for each element, a column for each number of it. */
function Elements({ bytes, knownRanges, fields, start, stride }: ElementsProps) {
  const view = useMemo(() => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), [bytes]);
  const count = Math.max(0, Math.floor((bytes.length - start - bytesOf(fields)) / stride) + 1);
  const muted = () => ({ class: 'muted' });
  const numbers = fields.flatMap((field, i) => {
    const element = elementOf(field)!;
    const numberAt = (row: number, k: number) => {
      const begin = start + row * stride + field.offset;
      if (knownRanges && !isWithin(knownRanges, begin, begin + element.bytes)) return null;
      const into = new Float64Array(element.count);
      element.read(view, begin, into);
      return into[k]!;
    };
    return Array.from({ length: element.count }, (_, k): Column<number> => {
      const name = field.name || (fields.length > 1 ? `${i}` : '');
      return {
        id: `${i} ${k}`,
        title: element.count === 1 ? name || '0' : `${name}${name === '' ? '' : '.'}${PARTS[k]}`,
        cell: (row) => {
          const number = numberAt(row, k);
          if (number === null) return '?';
          return Number.isSafeInteger(number) ? number : formatNumber(number);
        },
        value: (row) => numberAt(row, k) ?? '',
      };
    });
  });
  const columns: readonly Column<number>[] = [
    { title: '#', class: 'buffer-count', cell: (row) => formatCount(row), look: muted, value: (row) => row },
    { title: 'Offset', class: 'buffer-count', cell: (row) => formatCount(start + row * stride), look: muted },
    ...numbers,
  ];
  return (
    <Table
      label="Contents"
      id="element"
      minWidth={`${140 + 90 * numbers.length}px`}
      count={count}
      row={(number) => number}
      columns={columns}
      columnsOf={textOf(fields)}
      narrowedBy={[bytes, textOf(fields), start, stride]}
      sorts={count <= MOST_SORTED ? view : undefined}
      empty="The buffer is smaller than one element."
    />
  );
}
