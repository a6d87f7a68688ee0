import { capitalised, formatOffset, formatPosition, shortened } from '../../base/format.ts';
import type { Details as ItemDetails, Ticks } from '../../base/protocol.ts';
import type { Page } from '../../page/page.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { Lazy } from '../../parts/lazy.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { Keep } from '../../timeline/widgets/keep.tsx';
import { retyped } from '../../trace/event_payload.ts';
import { flagWords } from '../../trace/flags.ts';
import { termOfName } from '../../trace/terms.ts';
import type { ValueContext } from '../../trace/values.ts';
import { FactList, LongTitle } from './fact_list.tsx';
import { FunctionSource } from './function_source.tsx';
import { KeepAddress, Keeper, useFieldLinks } from './keep_field.tsx';
import { RangeShare } from './range_share.tsx';
import { isPoint, StatementLink } from './statement_link.tsx';
import { Fields } from './value.tsx';

interface ItemProps {
  readonly open: OpenTrace;
  readonly page: Page;
  readonly details: ItemDetails;
  readonly context: ValueContext;
  readonly colour: string;
}

/** All that is known of the selected slice, instant or record. */
export function Item({ open, page, details, context, colour }: ItemProps) {
  const { trace, selection, timeline } = open;
  const track = trace.tracks.value.get(details.track);
  const parent = track ? trace.tracks.value.get(track.parent) : undefined;
  const { start, end } = details;
  const links = useFieldLinks(open, page);
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
        <Keeper.Provider value={{ open, details, page, links }}>
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

const loadPointFields = async () => (await import('./point.tsx')).PointFields;

function keyOf({ item, locator, start }: ItemDetails): string {
  return item ? Object.values(item).join(' ') : `${locator} ${start}`;
}
