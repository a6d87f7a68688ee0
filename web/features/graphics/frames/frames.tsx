import { type Signal, signal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatCount, formatCounted } from '../../../base/format.ts';
import { type FrameColumns, MEASURES, type Measure, type ResourceKind } from '../../../base/survey_protocol.ts';
import { ticks } from '../../../base/ticks.ts';
import { bringToFront, type Dock } from '../../../page/dock.ts';
import type { Page, PanelView } from '../../../page/page.ts';
import { useLongList } from '../../../parts/long_list.ts';
import { Segments } from '../../../parts/segments.tsx';
import { type Column, type Look, Table } from '../../../parts/table.tsx';
import { atOnce, TakeTable } from '../../../parts/take_table.tsx';
import {
  FIGURE_TITLES,
  type FigureTitle,
  type FrameOrder,
  frameLocator,
  frameOf,
  framesText,
  framesTrack,
  goToFrame,
  greatest,
  heaviest,
  orderOf,
  sumsOf,
  tellingFigures,
} from '../../../timeline/frames.ts';
import { goToPosition } from '../../../timeline/go_to.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { KeepButton } from '../../../timeline/widgets/keep.tsx';
import { extentOf, type Survey } from '../../../trace/survey.ts';
import { surveyOf } from '../../../trace/surveys.ts';
import { type FrameRow, frameRows, isOpen, type OpenedFrames, toggled } from '../frame_rows.ts';
import { Surveying } from '../surveying.tsx';
import { Fold, InnerRow } from './inner.tsx';
import { SlowestCalls } from './slowest.tsx';
import './frames.css';

/** How the table is sorted. */
interface Sort {
  readonly by: FrameOrder;
  readonly descending: boolean;
}

/** The figures whose heaviest frame has a button. */
const HEAVIEST: readonly (readonly [FigureTitle['figure'], words: string])[] = [
  ['cpuTime', 'CPU time'],
  ['gpuTime', 'GPU time'],
  ['calls', 'calls'],
  ['draws', 'draws'],
  ['vertices', 'vertices'],
  ['uploaded', 'uploaded'],
];

/** The frames of a trace. The survey begins when the panel is first shown. */
export function framesView(open: OpenTrace, { dock }: Page): PanelView {
  const survey = surveyOf(open);
  const sort = signal<Sort>({ by: 'frame', descending: false });
  const shown = signal<Shown>('frames');
  const measure = signal<Measure>('cpuTime');
  const opened = signal<OpenedFrames>(new Map());
  const cursor = signal<FrameRow | null>(null);
  return {
    component: () =>
      shown.value === 'calls' && survey.times.value ? (
        <SlowestCalls {...{ open, survey, measure }} which={<Which survey={survey} shown={shown} />} />
      ) : (
        <Frames {...{ open, survey, sort, dock, opened, cursor }} which={<Which survey={survey} shown={shown} />} />
      ),
  };
}

/** What is shown: frames, or calls with their times. */
type Shown = 'frames' | 'calls';

/** The choice between them, once there are times. */
function Which({ survey, shown }: { readonly survey: Survey; readonly shown: Signal<Shown> }) {
  if (!survey.times.value) return null;
  return (
    <Segments
      label="Rows"
      options={[
        ['frames', 'Frames'],
        ['calls', 'Slowest calls'],
      ]}
      value={shown.value}
      choose={(next) => {
        shown.value = next;
      }}
    />
  );
}

interface Props {
  readonly which: ComponentChild;
  readonly open: OpenTrace;
  readonly survey: Survey;
  readonly sort: Signal<Sort>;
  readonly dock: Dock;
  /** The frames that are open. */
  readonly opened: Signal<OpenedFrames>;
  /** The row that was chosen last. */
  readonly cursor: Signal<FrameRow | null>;
}

function Frames(props: Props) {
  const { open, survey } = props;
  const frames = survey.frames.value;
  if (survey.error.value !== '' && !frames) {
    return (
      <p class="panel-note muted" role="alert">
        {survey.error.value}
      </p>
    );
  }
  if (!frames) {
    const isLoading = open.trace.status.value.at === 'loading';
    return (
      <p class="panel-note muted">{isLoading ? 'Frames are counted once the file has been read.' : 'Reading calls…'}</p>
    );
  }
  if (frames.count === 0 && extentOf(survey) === 'all') {
    return <p class="panel-note muted">No frames: this trace has no calls.</p>;
  }
  return <FrameTable {...props} frames={frames} />;
}

function FrameTable(props: Props & { readonly frames: FrameColumns }) {
  const { which, open, survey, sort, dock, opened, cursor, frames } = props;
  const { by, descending } = sort.value;
  const order = useMemo(() => orderOf(frames, by, descending), [frames, by, descending]);
  const columns = useMemo(() => tellingFigures(frames), [frames]);
  const most = useMemo(() => columns.map(({ figure }) => Math.max(1, greatest(frames, figure))), [frames]);
  const rows = useMemo(() => frameRows(order, opened.value), [order, opened.value]);
  const list = useLongList(rows.length);
  const isDirect3d = useMemo(
    () => survey.resources.value?.kind.includes('interface') ?? false,
    [survey.resources.value],
  );
  const extent = extentOf(survey);
  const place = open.selection.place();
  const chosen = place && frames.count > 0 ? frameOf(frames, Number(place.start)) : -1;
  // The selection may have moved to another frame.
  const isAt = cursor.value?.frame === chosen ? (cursor.value?.item ?? -1) : -1;
  const current = rows.findIndex(({ frame, item }) => frame === chosen && item === isAt);
  const choose = (row: FrameRow) => {
    cursor.value = row;
    const call = row.item < 0 ? undefined : opened.peek().get(row.frame)?.calls?.call[row.item];
    if (call === undefined) void goToFrame(frames, row.frame, open);
    else void goToPosition(ticks(BigInt(call)), open);
  };
  const go = (frame: number) => {
    choose({ frame, item: -1 });
    list.go(rows.findIndex((row) => row.frame === frame));
  };
  const toggle = async (row: FrameRow) => {
    opened.value = toggled(opened.peek(), row);
    if (row.item >= 0 || !opened.peek().has(row.frame)) return;
    // What opens would be below the edge.
    list.goTop(rows.findIndex(({ frame }) => frame === row.frame));
    const calls = await survey.ask.openFrame(row.frame);
    const now = opened.peek().get(row.frame);
    if (calls && now && !now.calls) opened.value = new Map(opened.peek()).set(row.frame, { ...now, calls });
  };
  /** Right opens a frame or a group, left folds it. */
  const onKey = ({ key }: KeyboardEvent) => {
    const here = rows[current];
    const arrow = { ArrowRight: false, ArrowLeft: true }[key];
    if (arrow === undefined || !here || isOpen(opened.peek(), here) !== arrow) return false;
    void toggle(here);
    return true;
  };
  const sortBy = (next: FrameOrder) => {
    sort.value = { by: next, descending: next === by ? !descending : next !== 'frame' };
    list.goTop(0);
  };
  const foldOf = (row: FrameRow) => (
    <Fold isOpen={isOpen(opened.value, row)} toggle={() => void toggle(row)} row={row} />
  );
  const head = [
    'Frame',
    'First call',
    ...columns.map(({ title, unit }) => (unit === '' ? title : `${title} (${unit})`)),
  ];
  const texts = (frame: number) =>
    [frame, frames.first[frame]!, ...columns.map(({ figure }) => frames.figures[figure][frame]!)].map((value) =>
      Number.isNaN(value) ? '' : String(value),
    );
  return (
    <div class="frames panel-body">
      <div class="panel-bar">
        {which}
        <Summary frames={frames} isAll={extent === 'all'} />
        {isDirect3d && <span class="muted">Vertices and state of Direct3D are not counted</span>}
        <Surveying survey={survey} />
        {survey.error.value !== '' && <span role="alert">{survey.error.value}</span>}
        {/* While frames come, another one may be heavier, and is before the click. */}
        {extent !== 'going' && <Heaviest frames={frames} isAll={extent === 'all'} go={go} />}
        <span class="panel-end">
          {chosen >= 0 && (
            <Used
              kinds={isDirect3d ? OF_DIRECT3D : OF_OPENGL}
              survey={survey}
              dock={dock}
              open={open}
              frames={frames}
              frame={chosen}
            />
          )}
          {by !== 'frame' && extent === 'all' && (
            <KeepFigure open={open} frames={frames} column={columns.find((it) => it.figure === by)} />
          )}
        </span>
        {extent !== 'going' && <TakeTable name="frames" head={head} rows={() => atOnce([...order], texts)} />}
      </div>
      <Table
        label="Frames"
        id="frame"
        rowId={({ frame, item }) => (item < 0 ? frame : `${frame}-${item}`)}
        minWidth={`${columns.reduce((sum, column) => sum + widthOf(column), 78)}px`}
        count={rows.length}
        row={(number) => rows[number] ?? null}
        columns={[
          {
            title: 'Frame',
            says: 'Number of the frame',
            key: 'frame',
            cell: (row) => (
              <>
                {foldOf(row)}
                {formatCount(row.frame)}
              </>
            ),
          },
          ...columns.map(
            (column, k): Column<FrameRow> => ({
              id: column.figure,
              title: column.title,
              says: column.says,
              class: isMeasure(column.figure) ? 'frames-measure' : undefined,
              key: column.figure,
              cell: ({ frame }) => textIn(column, frames.figures[column.figure][frame]!),
              look: ({ frame }) => {
                const value = frames.figures[column.figure][frame]!;
                return lookOf(value, column.figure === by ? value / most[k]! : null);
              },
            }),
          ),
        ]}
        by={by}
        descending={descending}
        sortBy={(key) => sortBy(key as FrameOrder)}
        current={current}
        choose={(number) => choose(rows[number]!)}
        onKey={onKey}
        look={({ item }) => ({ class: item < 0 ? undefined : 'frames-inner' })}
        whole={(row) => {
          const of = opened.value.get(row.frame)?.calls;
          if (!of || row.item < 0) return null;
          const content = <InnerRow of={of} item={row.item} fold={foldOf(row)} />;
          return { content, title: of.text[row.item] ?? '' };
        }}
        list={list}
      />
    </div>
  );
}

/** CSS pixels that a column needs. One of a measure may say `not measured`. */
function widthOf({ figure, unit }: FigureTitle): number {
  return isMeasure(figure) ? 108 : unit === 'bytes' ? 72 : 66;
}

function isMeasure(figure: FrameOrder): boolean {
  return MEASURES.some((measure) => measure === figure);
}

function textIn(column: FigureTitle, value: number): string {
  return value === 0 ? '–' : column.text(value);
}

/** What a cell looks like. `share`: of the greatest value, in the column that the table is sorted by. */
function lookOf(value: number, share: number | null): Look {
  const bar = share !== null && !Number.isNaN(value) ? { '--share': `${(100 * share).toFixed(1)}%` } : undefined;
  return { class: [!(value > 0) && 'none', bar && 'sorted'].filter(Boolean).join(' '), style: bar };
}

function Summary({ frames, isAll }: { readonly frames: FrameColumns; readonly isAll: boolean }) {
  const sums = useMemo(() => sumsOf(frames), [frames]);
  return (
    <span class="muted">
      {framesText(frames.count)}
      {!isAll && ' so far'}
      {isAll && !frames.ended && frames.count > 0 && ', the last one unfinished'}, {formatCounted(sums.draws, 'draw')}
      {sums.errors > 0 && `, ${formatCounted(sums.errors, 'error')}`}
    </span>
  );
}

interface HeaviestProps {
  readonly frames: FrameColumns;
  /** Otherwise there may be heavier ones after these. */
  readonly isAll: boolean;
  readonly go: (frame: number) => void;
}

/** Leads to the frames with the most of something. */
function Heaviest({ frames, isAll, go }: HeaviestProps) {
  const found = HEAVIEST.map(([figure, words]) => ({ figure, words, frame: heaviest(frames, figure) })).filter(
    ({ frame }) => frame >= 0,
  );
  if (found.length === 0) return null;
  return (
    <span class="frames-heaviest">
      <span class="muted">Heaviest {!isAll && 'so far '}by</span>
      {found.map(({ figure, words, frame }) => {
        const amount = FIGURE_TITLES.find((it) => it.figure === figure)?.text(frames.figures[figure][frame]!);
        return (
          <button
            key={figure}
            type="button"
            class="plain link"
            title={`Go to frame ${formatCount(frame)}: ${amount} ${words}`}
            onClick={() => go(frame)}
          >
            {words}: frame {formatCount(frame)} <span class="muted">({amount})</span>
          </button>
        );
      })}
    </span>
  );
}

/** Resources that a frame leads to, with the words for that. */
const OF_OPENGL: readonly (readonly [ResourceKind, words: string, several: string])[] = [
  ['texture', 'Its textures', 'Textures'],
  ['shader', 'Its shaders', 'Shaders'],
];
const OF_DIRECT3D: typeof OF_OPENGL = [['interface', 'Its interfaces', 'Interfaces']];

interface UsedProps {
  readonly kinds: typeof OF_OPENGL;
  readonly survey: Survey;
  readonly dock: Dock;
  readonly open: OpenTrace;
  readonly frames: FrameColumns;
  readonly frame: number;
}

/** Leads to the resources that a frame uses. */
function Used({ kinds, survey, dock, open, frames, frame }: UsedProps) {
  const show = (kind: ResourceKind) => {
    survey.filter.value = { kind, frame: { number: frame, first: frames.first[frame]!, last: frames.last[frame]! } };
    bringToFront(dock, open.trace.info.peek()?.format, 'resources');
  };
  return (
    <>
      {kinds.map(([kind, words, several]) => (
        <button
          key={kind}
          type="button"
          class="plain link"
          title={`${several} that frame ${formatCount(frame)} uses`}
          onClick={() => show(kind)}
        >
          {words}
        </button>
      ))}
    </>
  );
}

interface KeepProps {
  readonly open: OpenTrace;
  readonly frames: FrameColumns;
  readonly column: FigureTitle | undefined;
}

/** The name of a column as a track, which begins with a small letter as those of other tracks: `draws per frame`. */
function labelOf({ title, unit }: FigureTitle): string {
  const name = /^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title;
  return `${name} per frame${unit === 'ns' ? ' (ns)' : ''}`;
}

/** Keeps a column as a track above the others. */
function KeepFigure({ open, frames, column }: KeepProps) {
  if (!column) return null;
  const { trace, derived } = open;
  const key = `frames ${column.figure}`;
  const keep = () => {
    const track = framesTrack(trace.tracks.peek()) ?? 0;
    const values = frames.figures[column.figure];
    const measured = [...values.keys()].filter((frame) => !Number.isNaN(values[frame]));
    derived.keepNumbers(
      key,
      { label: labelOf(column), detail: column.says },
      {
        time: BigUint64Array.from(measured, (frame) => BigInt(frames.first[frame]!)),
        bits: BigUint64Array.from(measured, (frame) => BigInt(values[frame]!)),
      },
      {
        track: new Uint32Array(measured.length).fill(track),
        locator: BigUint64Array.from(measured, frameLocator),
      },
    );
  };
  return (
    <KeepButton
      keeping={derived.keeping.value.get(key)}
      reading={trace.status.value.at === 'loading'}
      title={`Show ${column.title} of all frames on a track`}
      onClick={keep}
      stop={() => derived.stop(key)}
    />
  );
}
