import { Fragment } from 'preact';
import { useRef } from 'preact/hooks';
import { formatLength, formatRawLength, shortened } from '../../base/format.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { useOneTabStop } from '../../parts/one_tab_stop.ts';
import { lengthsBetween } from '../../timeline/measure.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';

/** The lengths from the place where measuring began to the selection. */
export function Measured({ open }: { open: OpenTrace }) {
  const { trace, selection } = open;
  const anchor = selection.anchor.value;
  const place = selection.place();
  const info = trace.info.value;
  if (!anchor || !info) return null;
  const name = anchor.name < 0 ? '' : shortened(trace.names.of(anchor.name), 60);
  const isSame = place !== null && place.start === anchor.start && place.end === anchor.end;
  return (
    <section class="measured" aria-label="Lengths">
      <div class="row">
        <h2>Measured from {name || 'the marked position'}</h2>
        <button
          type="button"
          class="plain icon"
          aria-label="Stop measuring"
          title="Stop measuring (Escape)"
          onClick={() => (selection.anchor.value = null)}
        >
          ×
        </button>
      </div>
      {!place || isSame ? (
        <p class="muted">Select an end point.</p>
      ) : (
        <Lengths
          rows={lengthsBetween(anchor, place).map(({ label, length }) => [
            label,
            formatLength(length, info.clock),
            formatRawLength(length, info.clock),
          ])}
        />
      )}
    </section>
  );
}

function Lengths({ rows }: { rows: readonly (readonly [label: string, length: string, raw: string])[] }) {
  const list = useRef<HTMLDListElement>(null);
  useOneTabStop(list);
  return (
    <dl class="fields" ref={list}>
      {rows.map(([label, length, raw]) => (
        <Fragment key={label}>
          <dt>{label}</dt>
          <dd>
            <Copyable text={length}>{length}</Copyable>
            {raw !== '' && <span class="muted"> {raw}</span>}
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}
