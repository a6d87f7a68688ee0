import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { formatCount, formatLength, formatPosition, formatRawLength } from '../base/format.ts';
import { hexDump } from '../base/hex.ts';
import type { Clock, Field, Ticks, Value } from '../base/protocol.ts';

/** What is needed to tell positions and lengths. */
export interface ValueContext {
  readonly clock: Clock;
  readonly origin: Ticks;
}

const COPIED_MS = 1200;

/** Names and values, to be put in a `dl`. */
export function Fields({ fields, context }: { fields: readonly Field[]; context: ValueContext }) {
  return (
    <>
      {fields.map((field, i) => (
        <FieldRow key={i} field={field} context={context} />
      ))}
    </>
  );
}

function FieldRow({ field, context }: { field: Field; context: ValueContext }) {
  const wide = field.value.t === 'bytes' || field.value.t === 'tree';
  return (
    <>
      <dt class={wide ? 'wide' : ''}>{field.name}</dt>
      <dd class={wide ? 'wide' : ''}>
        <ValueView value={field.value} context={context} />
      </dd>
    </>
  );
}

function ValueView({ value, context }: { value: Value; context: ValueContext }) {
  switch (value.t) {
    case 'int': {
      const text = value.hex ? `0x${value.v.toString(16)}` : formatCount(value.v);
      return (
        <Copyable text={value.hex ? text : value.v.toString()} mono={value.hex === true}>
          {text}
        </Copyable>
      );
    }
    case 'id':
      return <Copyable text={value.v.toString()}>{value.v.toString()}</Copyable>;
    case 'float':
      return <Copyable text={String(value.v)}>{String(value.v)}</Copyable>;
    case 'text':
      return (
        <Copyable text={value.v} mono>
          {value.v === '' ? <span class="muted">empty</span> : value.v}
        </Copyable>
      );
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
      return (
        <ol class="value-list" start={0}>
          {value.v.map((item, i) => (
            <li key={i}>
              <ValueView value={item} context={context} />
            </li>
          ))}
        </ol>
      );
    case 'tree':
      return (
        <details open class="tree">
          <summary>{value.name ?? 'value'}</summary>
          <dl class="fields">
            <Fields fields={value.v} context={context} />
          </dl>
        </details>
      );
    case 'null':
      return <span class="muted">none</span>;
    default:
      return unreachable(value);
  }
}

function Bytes({ bytes, length }: { bytes: Uint8Array; length: bigint }) {
  const dump = hexDump(bytes);
  const missing = length - BigInt(bytes.length);
  if (length === 0n) return <span class="muted">empty</span>;
  return (
    <>
      <span class="muted">{formatCount(length)} bytes</span>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section class="bytes" tabIndex={0} aria-label="Bytes as hexadecimal and as text">
        {dump.map((line) => (
          <div key={line.offset}>
            <span class="muted">{line.offset.toString(16).padStart(4, '0')}</span> {line.hex} <span>{line.text}</span>
          </div>
        ))}
      </section>
      {missing > 0n && <span class="muted">{formatCount(missing)} more bytes are not shown.</span>}
    </>
  );
}

interface CopyableProps {
  /** What is copied. */
  readonly text: string;
  readonly mono?: boolean;
  readonly muted?: boolean;
  readonly children: ComponentChildren;
}

/** A value that a click copies. Its text can still be selected: a click that selects does not copy. */
export function Copyable({ text, mono = false, muted = false, children }: CopyableProps) {
  const copied = useSignal(false);
  useEffect(() => {
    if (!copied.value) return;
    const timer = setTimeout(() => (copied.value = false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied.value, copied]);
  const copy = async () => {
    if (getSelection()?.toString()) return;
    try {
      await navigator.clipboard.writeText(text);
      copied.value = true;
    } catch {
      // The browser does not let the page copy; the text can be selected.
    }
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: text inside a button cannot be selected.
    <span
      class={`copyable${mono ? ' mono' : ''}${muted ? ' muted' : ''}`}
      role="button"
      tabIndex={0}
      title="Click to copy"
      onClick={() => void copy()}
      onKeyDown={(event) => {
        if (event.key === 'Enter') void copy();
      }}
    >
      {children}
      {copied.value && (
        <span class="copied" role="status">
          copied
        </span>
      )}
    </span>
  );
}

function unreachable(value: never): never {
  throw new Error(`unknown kind of value: ${JSON.stringify(value)}`);
}
