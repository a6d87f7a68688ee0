import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { formatCount, formatCounted } from '../../../base/format.ts';
import type { FrameColumns } from '../../../base/survey_protocol.ts';
import { differencesOf } from '../../../page/differences.ts';
import { Segments } from '../../../parts/segments.tsx';
import { SideMark } from '../../../parts/side_mark.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { alignmentOf } from '../../../timeline/alignment.ts';
import { type FramePair, framePairsOf, type PairedBy } from '../../../timeline/frame_pairs.ts';
import { FIGURE_TITLES, type FigureTitle, frameOf, selectFrameAt } from '../../../timeline/frames.ts';
import { type OpenTrace, type Pair, sideOf } from '../../../timeline/open_trace.ts';
import { type FramePicture, framePicturesOf } from '../../../timeline/small_pictures.ts';
import { extentOf } from '../../../trace/survey.ts';
import { surveyOf } from '../../../trace/surveys.ts';
import { Surveying } from '../surveying.tsx';

/** Figures that have columns, if both have values. */
const SHOWN: readonly FigureTitle['figure'][] = ['cpuTime', 'gpuTime', 'calls', 'draws'];
/** Figures that are compared in words: those with columns, and others. */
const COMPARED: readonly FigureTitle['figure'][] = ['calls', 'draws', 'clears', 'vertices', 'stateChanges', 'uploaded'];

interface Props {
  readonly open: OpenTrace;
  readonly pair: Pair;
  readonly which: ComponentChild;
}

/** The frames of two traces beside each other. A chosen pair is selected in both, and stands below each other on the timelines. */
export function FramesOfBoth({ open, pair, which }: Props) {
  const { by, paired, pairs } = framePairsOf(pair);
  const { wanted, progress } = differencesOf(pair);
  const [surveyA, surveyB] = [surveyOf(pair.a), surveyOf(pair.b)];
  const [a, b] = [surveyA.frames.value, surveyB.frames.value];
  const all = pairs.value;
  /** A pair that was chosen here, and the selected frame of the trace in front then: it stays where that trace has none. */
  const chosen = useSignal<{ readonly pair: FramePair; readonly while: number | null } | null>(null);
  const seen = useSignal<readonly [number, number]>([0, 0]);
  const differing = useMemo(() => (all && a && b ? differingInWords(all, a, b) : ''), [all]);
  useEffect(() => {
    if (by.value === 'calls') wanted.value = true;
  }, [by.value]);
  const [first, end] = seen.value;
  const pictures = { a: framePicturesOf(pair.a).value, b: framePicturesOf(pair.b).value };
  useEffect(() => {
    const part = all?.slice(first, end) ?? [];
    for (const side of ['a', 'b'] as const) pictures[side]?.want(part.flatMap((it) => it[side] ?? []));
  }, [all, first, end, pictures.a, pictures.b]);
  if (!all || !a || !b) {
    const error = surveyA.error.value || surveyB.error.value;
    return (
      <div class="frames panel-body">
        <div class="panel-bar">{which}</div>
        <p class="panel-note muted">{error || 'Frames are counted once both files have been read.'}</p>
      </div>
    );
  }
  const side = sideOf(open) ?? 'a';
  const place = open.selection.place();
  const own = side === 'a' ? a : b;
  const frame = place && own.count > 0 ? frameOf(own, Number(place.start)) : null;
  const kept = chosen.value;
  const isKept = kept && (kept.pair[side] ?? kept.while) === frame;
  const current = isKept ? all.indexOf(kept.pair) : frame === null ? -1 : all.findIndex((it) => it[side] === frame);
  const isWhole = extentOf(surveyA) === 'all' && extentOf(surveyB) === 'all';
  const choose = (number: number) => {
    const it = all[number];
    if (!it) return;
    chosen.value = { pair: it, while: frame };
    if (it.a !== null && it.b !== null) {
      alignmentOf(pair).align({ a: BigInt(a.first[it.a]!), b: BigInt(b.first[it.b]!) });
    }
    if (it.a !== null) void selectFrameAt(a.last[it.a]!, pair.a);
    if (it.b !== null) void selectFrameAt(b.last[it.b]!, pair.b);
  };
  return (
    <div class="frames panel-body">
      <div class="panel-bar">
        {which}
        <span class="muted" role="status">
          {formatCounted(a.count, 'frame')} in A, {formatCount(b.count)} in B{!isWhole && ' so far'}
          {isWhole && `, ${differing}`}
        </span>
        <Surveying survey={surveyA} />
        <Surveying survey={surveyB} />
        <span class="muted">Paired by</span>
        <Segments<PairedBy>
          label="Frames are paired by"
          options={[
            ['calls', 'Calls'],
            ['number', 'Number'],
          ]}
          value={by.value}
          choose={(next) => {
            by.value = next;
          }}
        />
        {by.value !== paired.value && (
          <span class="muted" role="status">
            {progress.value} By number until then.
          </span>
        )}
      </div>
      <Table
        label="Frames of both"
        id="frame-pair"
        rowId={({ a: one, b: other }) => `${one} ${other}`}
        count={all.length}
        row={(number) => all[number] ?? null}
        columns={columnsOf(pair, a, b)}
        current={current}
        narrowedBy={[paired.value]}
        follows={isKept ? kept : `${side} ${frame}`}
        choose={choose}
        want={(from, to) => {
          if (seen.peek()[0] !== from || seen.peek()[1] !== to) seen.value = [from, to];
        }}
      />
    </div>
  );
}

function columnsOf(pair: Pair, a: FrameColumns, b: FrameColumns): readonly Column<FramePair>[] {
  const title = (figure: FigureTitle['figure']) => FIGURE_TITLES.find((it) => it.figure === figure)!;
  const figures = SHOWN.filter((figure) => a.figures[figure].length > 0 && b.figures[figure].length > 0);
  const sides = ['a', 'b'] as const;
  const frames = { a, b };
  return [
    ...sides.map(
      (side): Column<FramePair> => ({
        id: `frame-${side}`,
        title: `Frame ${side.toUpperCase()}`,
        width: '110px',
        cell: ({ [side]: frame }) =>
          frame === null ? (
            '–'
          ) : (
            <span class="frames-pictured">
              <Small open={pair[side]} frame={frame} /> <SideMark side={side} /> {formatCount(frame)}
            </span>
          ),
      }),
    ),
    ...figures.flatMap((figure) =>
      sides.map(
        (side): Column<FramePair> => ({
          id: `${figure}-${side}`,
          title: `${title(figure).title} ${side.toUpperCase()}`,
          says: title(figure).says,
          width: '90px',
          cell: ({ [side]: frame }) =>
            frame === null ? '–' : title(figure).text(frames[side].figures[figure][frame]!),
        }),
      ),
    ),
    {
      id: 'differs',
      title: 'What differs',
      says: 'Figures of B minus those of A, and small pictures at the ends of the frames',
      class: 'words',
      cell: (it) => <What pair={pair} frames={it} text={differenceOf(it, a, b)} />,
    },
  ];
}

/** What differs between two frames, in words. */
function What({ pair, frames, text }: { pair: Pair; frames: FramePair; text: string }) {
  const [first, second] = (['a', 'b'] as const).map((side) => {
    const frame = frames[side];
    return frame === null ? null : (framePicturesOf(pair[side]).value?.of(frame) ?? null);
  });
  const differs = first && second && !isAlike(first, second) ? 'picture' : '';
  const all = [text, differs].filter(Boolean).join(', ');
  return all === '' ? (
    <span class="muted">{first && second ? 'same figures, same small picture' : 'same figures'}</span>
  ) : (
    all
  );
}

/** How many frames only one trace has, and how many of the others differ. */
function differingInWords(all: readonly FramePair[], a: FrameColumns, b: FrameColumns): string {
  const only = (side: 'a' | 'b') => {
    const count = all.filter((it) => it[side === 'a' ? 'b' : 'a'] === null).length;
    return count > 0 ? `${formatCount(count)} only in ${side.toUpperCase()}` : '';
  };
  const paired = all.filter((it) => it.a !== null && it.b !== null && differenceOf(it, a, b) !== '').length;
  const others = `${paired === 0 ? 'none' : formatCount(paired)} with other figures`;
  return [only('a'), only('b'), others].filter(Boolean).join(', ');
}

/** The figures of B that differ from those of A; '' if none does. */
export function differenceOf({ a, b }: FramePair, first: FrameColumns, second: FrameColumns): string {
  if (a === null) return 'only in B';
  if (b === null) return 'only in A';
  return COMPARED.flatMap((figure) => {
    const by = second.figures[figure][b]! - first.figures[figure][a]!;
    const { title, text } = FIGURE_TITLES.find((it) => it.figure === figure)!;
    return by === 0 ? [] : `${title.toLowerCase()} ${by > 0 ? '+' : '−'}${text(Math.abs(by))}`;
  }).join(', ');
}

function isAlike(a: FramePicture, b: FramePicture): boolean {
  return a.width === b.width && a.height === b.height && a.pixels.every((value, i) => value === b.pixels[i]);
}

/** The small picture of a frame, as high as its row. */
function Small({ open, frame }: { open: OpenTrace; frame: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const picture = framePicturesOf(open).value?.of(frame) ?? null;
  useEffect(() => {
    if (!picture) return;
    const { width, height, pixels } = picture;
    canvas.current?.getContext('2d')?.putImageData(new ImageData(pixels, width, height), 0, 0);
  }, [picture]);
  return (
    <span class="frames-small" aria-hidden="true">
      {picture && <canvas ref={canvas} width={picture.width} height={picture.height} />}
    </span>
  );
}
