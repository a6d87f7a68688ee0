import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatBytes, formatCount } from '../../../base/format.ts';
import type { Survey } from '../../../model/survey.ts';
import { Spacer, TABLE_ROW, useShownRows } from '../virtual_rows.tsx';

interface Props {
  readonly survey: Survey;
  readonly at: number;
  readonly call: number;
}

type Read = (view: DataView, offset: number) => number;

/** The types of numbers: bytes of one, and how it is read. Traces are little-endian. */
const TYPES: Readonly<Record<string, readonly [bytes: number, read: Read]>> = {
  float: [4, (view, at) => view.getFloat32(at, true)],
  byte: [1, (view, at) => view.getInt8(at)],
  'unsigned byte': [1, (view, at) => view.getUint8(at)],
  short: [2, (view, at) => view.getInt16(at, true)],
  'unsigned short': [2, (view, at) => view.getUint16(at, true)],
  int: [4, (view, at) => view.getInt32(at, true)],
  'unsigned int': [4, (view, at) => view.getUint32(at, true)],
  double: [8, (view, at) => view.getFloat64(at, true)],
};

/** What a buffer holds, as rows of numbers of one type. */
export function BufferBytes({ survey, at, call }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const bytes = useSignal<Uint8Array | null>(null);
  const type = useSignal('float');
  const columns = useSignal(4);
  useEffect(() => {
    let current = true;
    void survey.ask('buffer', { resource: at, call }).then((found) => {
      if (current) bytes.value = found;
    });
    return () => {
      current = false;
    };
  }, [survey, at, call]);
  const held = bytes.value;
  const [size, read] = TYPES[type.value]!;
  const stride = size * columns.value;
  const count = held ? Math.floor(held.length / stride) : 0;
  const { first, end, onScroll } = useShownRows(box, count);
  const view = held && new DataView(held.buffer, held.byteOffset, held.byteLength);
  return (
    <div class="buffer">
      <div class="panel-bar">
        <select
          aria-label="Type"
          value={type.value}
          onChange={(event) => {
            type.value = event.currentTarget.value;
          }}
        >
          {Object.keys(TYPES).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <label>
          Columns{' '}
          <input
            type="number"
            min={1}
            max={32}
            value={columns.value}
            onInput={(event) => {
              columns.value = Math.max(1, Math.min(32, Math.floor(Number(event.currentTarget.value)) || 1));
            }}
          />
        </label>
        <span class="muted">{held ? `${formatBytes(held.length)}, what was never uploaded is 0` : 'Reading…'}</span>
      </div>
      <div class="table" ref={box} onScroll={onScroll}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: rows are scrolled by the keyboard. */}
        <table tabIndex={0} aria-label="Contents" style={{ minWidth: `${90 + 90 * columns.value}px` }}>
          <thead>
            <tr>
              <th scope="col">Offset</th>
              {Array.from({ length: columns.value }, (_, i) => (
                <th key={i} scope="col">
                  {i}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Spacer rows={first} columns={columns.value + 1} />
            {view &&
              Array.from({ length: Math.max(0, end - first) }, (_, k) => (
                <tr key={first + k} style={{ height: `${TABLE_ROW}px` }}>
                  <td class="muted">{formatCount((first + k) * stride)}</td>
                  {Array.from({ length: columns.value }, (__, i) => (
                    <td key={i}>{Number(read(view, (first + k) * stride + i * size).toPrecision(7))}</td>
                  ))}
                </tr>
              ))}
            <Spacer rows={count - end} columns={columns.value + 1} />
          </tbody>
        </table>
      </div>
    </div>
  );
}
