import type { ComponentChildren } from 'preact';
import { capitalised, formatOffset, formatPosition, shortened } from '../../base/format.ts';
import { whenIdle } from '../../base/idle.ts';
import type { Details as ItemDetails, Ticks } from '../../base/protocol.ts';
import type { Page } from '../../page/page.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { Lazy } from '../../parts/lazy.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { LEVELS, PALETTES } from '../../timeline/render/palette.ts';
import { Keep } from '../../timeline/widgets/keep.tsx';
import { retyped } from '../../trace/event_types.ts';
import { termOfName } from '../../trace/find_terms.ts';
import { flagWords } from '../../trace/flags.ts';
import type { ValueContext } from '../../trace/values.ts';
import { FactList, LongTitle } from './fact_list.tsx';
import { FunctionSource } from './function_source.tsx';
import { KeepAddress, Keeper } from './keep_field.tsx';
import { RangeShare } from './range_share.tsx';
import { isPoint, StatementLink } from './statement_link.tsx';
import { Fields } from './value.tsx';
import './details.css';

/** Details of the selection, or what is shown without one. */
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
        {page.features
          .flatMap(({ overviews }) => overviews ?? [])
          .map(({ offered, load }, i) => offered(open) && <Lazy key={i} load={load} props={{ open, page }} />)}
        {info && <Lazy key={open.id} load={() => loadStartHere(page)} props={{ open, page, info }} />}
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
        <LongTitle
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
          <StatementLink open={open} page={page} details={details} />
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
      <FactList key={keyOf(details)}>
        <Keeper.Provider value={{ open, details, page }}>
          {isPoint(details.fields) ? (
            <Lazy load={loadPointFields} props={{ open, page, details, context }} />
          ) : (
            <Fields fields={retyped(details.fields, open.eventTypes.types.value)} context={context} />
          )}
        </Keeper.Provider>
        <RangeShare details={details} range={open.statistics.range.value} clock={context.clock} />
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
      </FactList>
    </>
  );
}

/** The title of a record without a name: `Step 20,000`. */
function positionTitle(start: Ticks, { clock, origin }: ValueContext): string {
  const position = formatPosition(start, origin, clock);
  return capitalised(position);
}

/** Loads what is shown without a selection. The first picture of a trace comes before it. */
async function loadStartHere(page: Page) {
  await new Promise<void>((resolve) => whenIdle(resolve, 200));
  const { startHereOf } = await import('./start_here.tsx');
  return startHereOf(page);
}

const loadPointFields = async () => (await import('./point.tsx')).PointFields;

function keyOf({ item, locator, start }: ItemDetails): string {
  return item ? Object.values(item).join(' ') : `${locator} ${start}`;
}
