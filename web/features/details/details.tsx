import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import {
  capitalised,
  formatBytes,
  formatCount,
  formatCounted,
  formatLength,
  formatOffset,
  formatPosition,
  plural,
  shortened,
} from '../../base/format.ts';
import type { Details as ItemDetails, Ticks, TraceInfo } from '../../base/protocol.ts';
import type { Page } from '../../page/page.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { Lazy } from '../../parts/lazy.tsx';
import { useOneTabStop } from '../../parts/one_tab_stop.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { LEVELS, PALETTES } from '../../timeline/render/palette.ts';
import { Keep } from '../../timeline/widgets/keep.tsx';
import { retyped } from '../../trace/event_types.ts';
import { termOfName } from '../../trace/find_terms.ts';
import { flagWords } from '../../trace/flags.ts';
import { hasNumbersOnly } from '../../trace/names.ts';
import { slicesByNoun } from '../../trace/tracks.ts';
import type { ValueContext } from '../../trace/values.ts';
import { extentLength } from '../../trace/view.ts';
import { FunctionSource } from './function_source.tsx';
import { KeepAddress, Keeper } from './keep_field.tsx';
import { isPoint, StatementLink } from './statement_link.tsx';
import { Fields } from './value.tsx';
import './details.css';

/** Details of the selection, or facts about the trace without a selection. */
export function Details({
  open,
  page,
  tabs,
  instead,
  label = 'State',
}: {
  open: OpenTrace;
  page: Page;
  /** What stands above them. */
  tabs?: ComponentChildren;
  /** The state of the machine, or a picture, which is shown in their place, and what it is called. */
  instead?: ComponentChildren;
  label?: string;
}) {
  const { trace, selection } = open;
  const known = selection.known.value;
  const info = trace.info.value;
  const extent = trace.progress.value.extent;
  // One element for all, so that the tabs stay, and the focus on them.
  if (instead)
    return (
      <aside class="details thin-scroll" aria-label={label}>
        {tabs}
        {instead}
      </aside>
    );
  if (!known || !info || !extent)
    return (
      <aside class="details thin-scroll" aria-label="Trace">
        {tabs}
        {info && <TraceFacts open={open} info={info} />}
      </aside>
    );
  return (
    <aside class="details thin-scroll" aria-label="Details">
      {tabs}
      {open.selection.anchor.value && (
        <Lazy load={async () => (await import('./measured.tsx')).Measured} props={{ open }} />
      )}
      {known.at === 'asking' && <p class="muted">Reading…</p>}
      {known.at === 'unknown' && <p class="muted">{known.error?.sentence ?? 'No details for this selection.'}</p>}
      {known.at === 'known' && (
        <Item
          open={open}
          page={page}
          details={known.details}
          context={{ clock: info.clock, origin: extent.from }}
          colour={
            PALETTES[page.theme.theme.value].slices[
              (trace.names.colour[known.details.name] ?? 0) * LEVELS + LEVELS - 1
            ]!
          }
        />
      )}
    </aside>
  );
}

interface ItemProps {
  readonly open: OpenTrace;
  readonly page: Page;
  readonly details: ItemDetails;
  readonly context: ValueContext;
  readonly colour: string;
}

function Item({ open, page, details, context, colour }: ItemProps) {
  const { trace, selection, timeline } = open;
  const track = trace.tracks.value.get(details.track);
  const parent = track ? trace.tracks.value.get(track.parent) : undefined;
  const { start, end } = details;
  // The engine's remarks explain the flags in sentences, which replace the labels.
  const remarks = details.remarks.length > 0 ? details.remarks : flagWords(details.flags);
  return (
    <>
      <div class="details-head">
        {details.name >= 0 && <span class="swatch" style={{ background: colour }} />}
        <Title
          key={keyOf(details)}
          name={trace.names.inPlaceOf(details.title) || positionTitle(details.start, context)}
        />
        <button
          type="button"
          class="plain icon"
          aria-label="Clear selection"
          title="Clear selection (Escape)"
          onClick={() => {
            selection.clear();
          }}
        >
          ×
        </button>
      </div>
      <p class="muted details-where wrap">
        <span>{[track?.name, parent?.name].filter(Boolean).join(' · ')}</span>
        <span class="details-links wrap">
          {end !== null && (
            <button type="button" class="plain link" onClick={() => timeline.show({ from: start, to: end })}>
              Zoom to selection
            </button>
          )}
          {details.name >= 0 && (
            <button
              type="button"
              class="plain link"
              title={`Find all named ${shortened(details.title)}`}
              onClick={() => open.find.ask(termOfName(details.title))}
            >
              Find all
            </button>
          )}
          {details.item?.kind === 'slice' ? (
            <Keep open={open} name={details.name} />
          ) : (
            <KeepAddress open={open} details={details} />
          )}
          <StatementLink open={open} details={details} />
        </span>
      </p>
      {remarks.map((remark) => (
        <p class="remark" key={remark}>
          {remark}
        </p>
      ))}
      {/* The key folds all values again when the selection changes. */}
      {trace.info.value?.offers.includes('eventTypes') && (
        <Lazy
          load={async () => (await import('./event_type.tsx')).EventTypeChoice}
          props={{ fields: details.fields, open }}
        />
      )}
      <Values key={keyOf(details)}>
        <Keeper.Provider value={{ open, details, dock: page.dock }}>
          {isPoint(details.fields) ? (
            <Lazy load={loadPointFields} props={{ open, details, context }} />
          ) : (
            <Fields fields={retyped(details.fields, open.eventTypes.types.value)} context={context} />
          )}
        </Keeper.Provider>
        <FunctionSource trace={trace} name={details.name} />
        {page.features
          .flatMap(({ facts }) => facts ?? [])
          .map(
            ({ offered, load }, i) => offered(open, details) && <Lazy key={i} load={load} props={{ open, details }} />,
          )}
        {details.offset !== null && (
          <>
            <dt>Record</dt>
            <dd>
              <Copyable text={details.offset.toString()}>at {formatOffset(details.offset)}</Copyable>
              {/* It may be larger than the file. */}
              {trace.info.value?.container != null && <span class="muted"> unpacked</span>}
            </dd>
          </>
        )}
      </Values>
    </>
  );
}

/** Names and values. They are one stop of the tab key; arrow keys lead from value to value. */
function Values({ children }: { children: ComponentChildren }) {
  const box = useRef<HTMLDListElement>(null);
  useOneTabStop(box);
  return (
    <dl class="fields" ref={box}>
      {children}
    </dl>
  );
}

/** A name as a heading. A long one is cut, and a click shows all of it. */
function Title({ name }: { name: string }) {
  const whole = useSignal(false);
  const short = shortened(name);
  if (short === name) return <h2>{name}</h2>;
  return (
    <h2>
      {whole.value ? <Copyable text={name}>{name}</Copyable> : short}{' '}
      <button type="button" class="plain link" onClick={() => (whole.value = !whole.value)}>
        {whole.value ? 'Show less' : `Show all ${formatCount(name.length)} characters`}
      </button>
    </h2>
  );
}

/** The title of a record without a name: `Step 20,000`. */
function positionTitle(start: Ticks, { clock, origin }: ValueContext): string {
  const position = formatPosition(start, origin, clock);
  return capitalised(position);
}

const loadPointFields = async () => (await import('./point.tsx')).PointFields;

/** What a person can do about functions without names. */
const NUMBERS_ONLY =
  "This log has function numbers only. For names, add the program that wrote it, or open llvm-xray's YAML of the log.";

function TraceFacts({ open, info }: { open: OpenTrace; info: TraceInfo }) {
  const { trace } = open;
  const status = trace.status.value;
  // A packed trace has its own size once it is unpacked.
  const size = trace.content.value?.size ?? trace.size;
  const { events, slices, extent, bytesRead } = trace.progress.value;
  const tracks = trace.tracks.value;
  // Progress comes more often than tracks, of which there may be thousands.
  const { instants, byNoun, threads } = useMemo(() => {
    const all = [...tracks.values()];
    return {
      instants: all.reduce((sum, track) => sum + track.instants, 0),
      byNoun: slicesByNoun(all, info),
      threads: all.filter(({ kind }) => kind === 'thread').length,
    };
  }, [tracks, info]);
  const { clock } = info;
  const rows: (readonly [string, string, (string | undefined)?])[] = [
    ['Format', info.title],
    ['Size', formatBytes(size), size < 1000 ? undefined : `${formatCount(size)} bytes`],
  ];
  if (info.container !== null) rows.push(['Container', info.container]);
  if (trace.nested) rows.push(['Tail calls', 'shown under their callers']);
  if (status.at === 'ready' && status.how !== 'complete') rows.push(['Read', `${formatCount(bytesRead)} bytes`]);
  rows.push(
    [capitalised(plural(events, info.eventNoun)), formatCount(events)],
    ...byNoun
      .filter(([noun]) => noun !== info.eventNoun)
      .map(([noun, count]) => [capitalised(plural(count, noun)), formatCount(count)] as const),
    ...(instants > 0 ? [['Events', formatCount(instants)] as const] : []),
  );
  if (threads > 0) rows.push(['Threads', formatCount(threads)]);
  if (extent && clock.kind === 'ordinal') {
    rows.push([`First ${clock.unit}`, formatCount(extent.from)]);
  } else if (extent) {
    const length = extentLength(extent);
    rows.push([
      'Length',
      formatLength(length, clock),
      clock.kind === 'seconds' ? formatCounted(length, 'tick') : undefined,
    ]);
    rows.push(['First tick', formatCount(extent.from)]);
  }
  return (
    <>
      <div class="details-head">
        <Title name={trace.name} />
      </div>
      {slices + instants > 0 && (
        <p class="muted">Select a {info.offers.includes('values') ? info.recordNoun : info.sliceNoun} for details.</p>
      )}
      {hasNumbersOnly(trace) && <p class="remark numbers-only">{NUMBERS_ONLY}</p>}
      {trace.companions.value.length > 0 && (
        <Lazy load={async () => (await import('./companion_facts.tsx')).CompanionFacts} props={{ trace }} />
      )}
      <Values>
        {[...rows, ...info.properties].map(([name, value, more]) => (
          <Row key={name} name={name} value={value} more={more} />
        ))}
      </Values>
    </>
  );
}

function Row({ name, value, more }: { name: string; value: string; more?: string | undefined }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <Copyable text={value}>{value}</Copyable>
        {more !== undefined && <span class="muted"> {more}</span>}
      </dd>
    </>
  );
}

function keyOf({ item, locator, start }: ItemDetails): string {
  return item ? Object.values(item).join(' ') : `${locator} ${start}`;
}
