import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { formatCount, formatLength, formatNumeral, formatPosition, formatRawLength } from '../../base/format.ts';
import { hexLine, hexLines, hexText } from '../../base/hex.ts';
import type { Field, Value } from '../../base/protocol.ts';
import { Copyable } from '../../parts/copyable.tsx';
import {
  amountOf,
  floatText,
  isScalar,
  membersOf,
  numberBehind,
  type Scalar,
  scalarText,
  type ValueContext,
} from '../../trace/values.ts';
import { FindField, FollowField, KeepField, LinkField, Path } from './keep_field.tsx';
import { Rows } from './rows.tsx';

/** Elements of a list shown at first. */
const FEW = 20;
/** Further structured elements that a click shows. */
const PORTION = 100;
/** Fields of a record or a structure shown at first: a call may have a hundred thousand arguments. */
const FIELDS = 200;
/** Structures within structures up to which they are unfolded. */
const UNFOLDED = 12;
/** Characters of a text shown at first. */
const LONG_TEXT = 2000;
/** Characters of the longest text next to its name; longer ones go below it. */
const SHORT_TEXT = 48;
/** Characters of a line of numbers. */
const LINE = 44;
const MOST_COLUMNS = 4;

/** Names and values, as children of a `dl`. */
export function Fields({ fields, context }: { fields: readonly Field[]; context: ValueContext }) {
  const shown = useSignal(FIELDS);
  const members = membersOf(fields);
  const left = members.length - shown.value;
  return (
    <>
      {members.slice(0, shown.value).map((field, i) => (
        <FieldRow key={i} field={field} context={context} />
      ))}
      {left > 0 && (
        <dd class="wide">
          <More onClick={() => (shown.value += FIELDS)}>
            {left > FIELDS ? `${FIELDS} of ${formatCount(left)}` : formatCount(left)} more
          </More>
        </dd>
      )}
    </>
  );
}

function FieldRow({ field: { name, value }, context }: { field: Field; context: ValueContext }) {
  const path = [...useContext(Path), name];
  if (hasParts(value)) {
    return (
      <Path.Provider value={path}>
        <Branch name={name} value={value} context={context} />
      </Path.Provider>
    );
  }
  const wide = value.t === 'text' && (value.v.length > SHORT_TEXT || value.v.includes('\n'));
  return (
    <>
      <dt class={wide ? 'wide' : ''}>
        <LinkField path={path} value={value} by="label">
          {name}
        </LinkField>
      </dt>
      <dd class={wide ? 'wide' : ''}>
        <LinkField path={path} value={value} by="value">
          <ValueView value={value} context={context} />
        </LinkField>
        <KeepField path={path} value={value} />
        <FindField path={path} value={value} />
        <FollowField path={path} />
      </dd>
    </>
  );
}

/** Whether a value goes below its name and can be folded. A list of one number is shown as the number. */
function hasParts(value: Value): boolean {
  if (value.t === 'bytes') return value.length > 0n;
  if (value.t === 'tree') return value.v.length > 0;
  return value.t === 'list' && (value.v.length > 1 || (value.v.length === 1 && !isScalar(value.v[0]!)));
}

function Branch({ name, value, context }: { name: string; value: Value; context: ValueContext }) {
  const path = useContext(Path);
  const open = useSignal(path.length <= UNFOLDED);
  return (
    <>
      <dt class="wide">
        <button
          type="button"
          class="plain twist"
          aria-expanded={open.value}
          onClick={() => {
            open.value = !open.value;
          }}
        >
          <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
            <path d={open.value ? 'M1 3l4 4 4-4' : 'M3 1l4 4-4 4'} />
          </svg>
          {name}
        </button>
        <span class="amount small">{amountOf(value)}</span>
        {value.t === 'bytes' && <KeepField path={path} value={value} />}
      </dt>
      {open.value && (
        <dd class="wide parts">
          <ValueView value={value} context={context} />
        </dd>
      )}
    </>
  );
}

function ValueView({ value, context }: { value: Value; context: ValueContext }) {
  switch (value.t) {
    case 'int':
      return value.hex ? (
        <Copyable text={hexText(value.v)} mono>
          {hexText(value.v)}
        </Copyable>
      ) : (
        <Copyable text={value.v.toString()}>{formatCount(value.v)}</Copyable>
      );
    case 'id':
      return <Copyable text={value.v.toString()}>{value.v.toString()}</Copyable>;
    case 'float':
      return <Copyable text={floatText(value.v)}>{formatNumeral(floatText(value.v))}</Copyable>;
    case 'text':
      return <Text text={value.v} />;
    case 'code':
      return (
        <Copyable text={scalarText(value, context)} mono>
          {scalarText(value, context)}
        </Copyable>
      );
    case 'symbol':
      return <Named value={value} context={context} />;
    case 'ticks':
      return (
        <>
          <Copyable text={formatPosition(value.v, context.origin, context.clock)}>
            {formatPosition(value.v, context.origin, context.clock)}
          </Copyable>{' '}
          {context.clock.kind !== 'ordinal' && (
            <Copyable text={value.v.toString()} muted>
              tick {formatCount(value.v)}
            </Copyable>
          )}
        </>
      );
    case 'duration': {
      const raw = formatRawLength(value.v, context.clock);
      return (
        <>
          <Copyable text={formatLength(value.v, context.clock)}>{formatLength(value.v, context.clock)}</Copyable>{' '}
          {raw !== '' && (
            <Copyable text={value.v.toString()} muted>
              {raw}
            </Copyable>
          )}
        </>
      );
    }
    case 'bytes':
      return <Bytes bytes={value.v} length={value.length} />;
    case 'list':
      return <List values={value.v} context={context} />;
    case 'tree':
      if (value.v.length === 0) return <span class="muted">empty</span>;
      return (
        <dl class="fields">
          <Fields fields={value.v} context={context} />
        </dl>
      );
    case 'null':
      return <span class="muted mono">null</span>;
    default:
      return unreachable(value);
  }
}

function Named({ value, context }: { value: Value & { t: 'symbol' }; context: ValueContext }) {
  const number = numberBehind(value);
  return (
    <>
      <Copyable text={value.name} mono>
        {value.name}
      </Copyable>{' '}
      {number && isScalar(number) && (
        <Copyable text={scalarText(number, context)} mono muted>
          {scalarText(number, context)}
        </Copyable>
      )}
    </>
  );
}

/** A text with its line breaks and indentation, which matter in shaders. */
function Text({ text }: { text: string }) {
  const whole = useSignal(false);
  if (text === '') return <span class="muted">empty</span>;
  const folded = text.length > LONG_TEXT && !whole.value;
  const block = text.includes('\n') || text.length > SHORT_TEXT;
  return (
    <>
      <div class={block ? 'text block' : 'text'}>
        <Copyable text={text} mono>
          {folded ? text.slice(0, LONG_TEXT) : text}
        </Copyable>
        {folded && '…'}
      </div>
      {folded && (
        <More onClick={() => (whole.value = true)}>{formatCount(text.length - LONG_TEXT)} more characters</More>
      )}
    </>
  );
}

function List({ values, context }: { values: readonly Value[]; context: ValueContext }) {
  if (values.length === 0) return <span class="muted">empty</span>;
  const [only] = values;
  if (values.length === 1 && isScalar(only!)) return <ValueView value={only} context={context} />;
  return values.every(isScalar) ? (
    <Numbers values={values as readonly Scalar[]} context={context} />
  ) : (
    <Elements values={values} context={context} />
  );
}

/** Short values in columns, each line with the index of its first value. */
function Numbers({ values, context }: { values: readonly Scalar[]; context: ValueContext }) {
  const all = useSignal(false);
  const columns = columnsOf(values, context);
  const digits = Math.max(1, String(values.length - 1).length);
  const shown = all.value ? values.length : Math.min(values.length, FEW);
  const path = useContext(Path);
  const element = (i: number) => (
    <LinkField key={i} path={[...path, String(i)]} value={values[i]!} by="value">
      <Copyable text={scalarText(values[i]!, context)} mono muted={values[i]!.t === 'null'}>
        {scalarText(values[i]!, context)}
      </Copyable>
    </LinkField>
  );
  const row = (line: number) => {
    const first = line * columns;
    const count = Math.min(columns, shown - first);
    return (
      <div class="numbers" style={{ gridTemplateColumns: `${digits}ch repeat(${columns}, minmax(0, 1fr))` }}>
        <span class="index">{first}</span>
        {Array.from({ length: count }, (_, i) => element(first + i))}
      </div>
    );
  };
  const lines = Math.ceil(shown / columns);
  return (
    <>
      {all.value ? (
        <Rows count={lines} label="Elements" row={row} />
      ) : (
        Array.from({ length: lines }, (_, line) => <div key={line}>{row(line)}</div>)
      )}
      {shown < values.length && (
        <More onClick={() => (all.value = true)}>{formatCount(values.length - shown)} more</More>
      )}
    </>
  );
}

/** Number of columns that fit the longest of the first values. */
function columnsOf(values: readonly Scalar[], context: ValueContext): number {
  let longest = 1;
  for (const value of values.slice(0, 1000)) longest = Math.max(longest, scalarText(value, context).length);
  const fit = Math.max(1, Math.min(MOST_COLUMNS, Math.floor(LINE / (longest + 1))));
  // Values often come in fours, which three columns would split.
  return fit === 3 ? 2 : fit;
}

/** Structured values, one below the other. */
function Elements({ values, context }: { values: readonly Value[]; context: ValueContext }) {
  const shown = useSignal(FEW);
  const left = values.length - shown.value;
  return (
    <>
      <dl class="fields">
        <Fields
          fields={values.slice(0, shown.value).map((value, i) => ({ name: String(i), value }))}
          context={context}
        />
      </dl>
      {left > 0 && (
        <More onClick={() => (shown.value += PORTION)}>
          {left > PORTION ? `${PORTION} of ${formatCount(left)}` : formatCount(left)} more
        </More>
      )}
    </>
  );
}

function Bytes({ bytes, length }: { bytes: Uint8Array; length: bigint }) {
  if (length === 0n) return <span class="muted">empty</span>;
  const missing = length - BigInt(bytes.length);
  const digits = Math.max(4, bytes.length.toString(16).length);
  const row = (i: number) => {
    const line = hexLine(bytes, i);
    return (
      <>
        <span class="muted">{line.offset.toString(16).padStart(digits, '0')}</span> {line.hex} <span>{line.text}</span>
      </>
    );
  };
  return (
    <>
      <div class="bytes">
        <Rows count={hexLines(bytes)} label="Bytes as hexadecimal and as text" row={row} />
      </div>
      {missing > 0n && <span class="muted">{formatCount(missing)} more bytes are not shown.</span>}
    </>
  );
}

function More({ onClick, children }: { onClick: () => void; children: ComponentChildren }) {
  return (
    <button type="button" class="plain link more" onClick={onClick}>
      … {children}
    </button>
  );
}

function unreachable(value: never): never {
  throw new Error(`unknown kind of value: ${JSON.stringify(value)}`);
}
