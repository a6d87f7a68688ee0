import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { formatBytes, formatCount, formatCounted } from '../../../base/format.ts';
import type { KeptCalls } from '../../../base/survey_protocol.ts';
import type { DialogProps } from '../../../page/page.ts';
import { Cleaning } from '../../../parts/cleaning.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Segments } from '../../../parts/segments.tsx';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { saveBlob } from '../../../trace/save_blob.ts';
import { differenceOf } from '../both/difference.ts';
import { createSearching } from '../both/search.ts';
import { type Mode, Viewer } from '../both/viewer.tsx';
import { ALL } from '../both/viewport.ts';
import { frameOf } from '../gl/frames.ts';
import { heaviest, pictureCall } from '../pictured_calls.ts';
import type { Picture } from '../protocol.ts';
import type { Replay } from '../replay.ts';
import { replayOf } from '../replays.ts';
import { type Cutting, createCutting, type FrameFile, type Step } from './cutting.ts';
import { filesOf } from './files.ts';
import '../both/both.css';
import './cut.css';

/** Saves a frame as a trace that replays by itself, once its picture was compared with that of the whole trace. */
export function SaveFrame({ page, close }: DialogProps) {
  const bench = page.workbench.bench.value;
  if (bench.at !== 'open') return null;
  const { open } = bench;
  return <OfTrace key={open.id} open={open} close={close} />;
}

/** The frame that is saved: that of the selection, or else the one with most draws. null as long as the frames are not known. */
function useFrame(open: OpenTrace, replay: Replay) {
  return useComputed(() => {
    const frames = replay.frames.value;
    if (!frames) return null;
    const place = open.selection.place();
    const selected = place && pictureCall(place, open.trace.tracks.value, frames);
    const frame = selected === null ? heaviest(frames) : frameOf(frames, selected);
    const call = frames.to[frame];
    return call === undefined ? 'none' : { frame, call };
  }).value;
}

function OfTrace({ open, close }: { open: OpenTrace; close: () => void }) {
  const replay = replayOf(open);
  useEffect(() => replay.look(), [replay]);
  const at = useFrame(open, replay);
  const failure = replay.failure.value;
  const title = at && at !== 'none' ? `Save frame ${formatCount(at.frame)} as a trace` : 'Save this frame as a trace';
  return (
    <Dialog class="frame-cut" title="frame-cut-title" close={close}>
      <div class="frame-cut-inner column thin-scroll">
        <header class="row">
          <h2 id="frame-cut-title">{title}</h2>
          <button type="button" class="frame-cut-close" onClick={close}>
            Close
          </button>
        </header>
        {at === 'none' ? (
          <p>Only a frame that ends can be saved: select a call of one.</p>
        ) : at ? (
          <OfFrame key={at.frame} {...{ open, replay, ...at }} />
        ) : failure ? (
          <p role="alert">{failure.sentence}</p>
        ) : (
          <Progress label="Scanning all calls" share={replay.progress.value?.share ?? 0} />
        )}
      </div>
    </Dialog>
  );
}

interface OfFrameProps {
  readonly open: OpenTrace;
  readonly replay: Replay;
  readonly frame: number;
  readonly call: number;
}

function OfFrame({ open, replay, frame, call }: OfFrameProps) {
  const cutting = useMemo(() => createCutting(filesOf(open), replay, frame, call), [open, replay, frame, call]);
  useEffect(() => cutting.dispose, [cutting]);
  const step = cutting.step.value;
  const made = cutting.made.value;
  const name = `${open.trace.name.replace(/(\.trace)?(\.gz|\.zst|\.br)?$/i, '')}-frame-${frame}.trace`;
  return (
    <>
      <HowFar step={step} enough={cutting.enough} />
      {step.at === 'failed' && (
        <p class="remark" role="alert">
          {step.sentence}
        </p>
      )}
      {made && <Facts made={made} whole={open.trace.size} />}
      <Verdict cutting={cutting} />
      {made && (
        <p class="row">
          <button
            type="button"
            class="primary"
            disabled={step.at !== 'done' && step.at !== 'failed'}
            onClick={() => saveBlob(made.file, name)}
          >
            {step.at === 'failed' ? 'Save without a check' : 'Save'}
          </button>
          <span class="muted">
            {name}, {formatBytes(made.file.size)}
          </span>
        </p>
      )}
      {made && <Smaller cutting={cutting} touched={replay.touches.value} call={call} />}
      {made && <Clean cutting={cutting} calls={made.calls} />}
      {made && <Kept rows={made.needs.rows} />}
    </>
  );
}

const DOING = {
  finding: 'Finding what the frame needs',
  writing: 'Writing the calls',
  replaying: 'Comparing the pictures',
} as const;

function HowFar({ step, enough }: { step: Step; enough: () => void }) {
  if (step.at === 'done' || step.at === 'failed') return null;
  if (step.at !== 'shrinking') return <Progress label={DOING[step.at]} share={step.share} />;
  return (
    <div class="row">
      <Progress label={`Leaving calls out: ${formatCounted(step.tried, 'file')} tried`} share={step.share} />
      <button type="button" onClick={enough}>
        Stop
      </button>
    </div>
  );
}

function Progress({ label, share }: { label: string; share: number }) {
  return (
    <p class="row" role="status">
      <progress max={1} value={share} aria-label={label} />
      <span class="muted">{label}…</span>
    </p>
  );
}

/** What the file has of the trace. */
function Facts({ made, whole }: { made: FrameFile; whole: number }) {
  const { needs, file, leftOut } = made;
  const draws =
    needs.draws > 0 ? `, ${formatCount(needs.draws)} of their ${formatCounted(needs.allDraws, 'draw')}` : '';
  return (
    <>
      <p>
        {formatCounted(needs.ofFrames, 'call')} of the frame
        {needs.allBefore > 0 &&
          `, and ${formatCount(needs.before)} of the ${formatCount(needs.allBefore)} before it${draws}`}
        : {formatBytes(file.size)} of {formatBytes(whole)}.
        {leftOut > 0 && ` ${formatCounted(leftOut, 'call')} of these are left out, as the picture stays the same.`}
      </p>
      {needs.isWindowLeftOut && (
        <p class="muted">
          The frame draws over what earlier ones left in the window. After a swap that is undefined, so it is left out.
        </p>
      )}
    </>
  );
}

/** Both pictures, and whether they differ. */
function Verdict({ cutting }: { cutting: Cutting }) {
  const mode = useSignal<Mode>('slider');
  const viewport = useSignal(ALL);
  const wipe = useSignal(0.5);
  const pictures = cutting.pictures.value;
  if (!pictures) return null;
  const [a, b] = pictures;
  if (!a || !b) {
    const which = a ? 'in the file' : b ? 'in the trace' : 'in either';
    return <p class={a || b ? 'remark' : 'muted'}>The window shows nothing {which} at the end of the frame.</p>;
  }
  return (
    <div class="both column frame-cut-pictures">
      <Sentence a={a} b={b} cutting={cutting} />
      <div class="picture-views">
        <Segments
          label="Compared pictures"
          options={MODES}
          value={mode.value}
          choose={(it) => {
            mode.value = it;
          }}
        />
      </div>
      <Viewer a={a} b={b} marks={['Trace', 'File']} names={['the trace', 'the file']} look={{ mode, viewport, wipe }} />
    </div>
  );
}

const MODES: readonly (readonly [Mode, string])[] = [
  ['a', 'Trace'],
  ['b', 'File'],
  ['difference', 'Difference'],
  ['slider', 'Slider'],
  ['blink', 'Blink'],
];

/** Whether the pictures are the same; if not, where they begin to differ. */
function Sentence({ a, b, cutting }: { a: Picture; b: Picture; cutting: Cutting }) {
  const searching = useMemo(createSearching, []);
  const difference = useMemo(() => differenceOf(a, b), [a, b]);
  const sides = cutting.sides.value;
  const isSame = difference !== null && difference.count === 0;
  useEffect(() => {
    if (!isSame && sides) void searching.start(sides, async () => undefined);
    return searching.cancel;
  }, [isSame, sides]);
  if (isSame) return <p role="status">The file shows the same picture as the trace, pixel by pixel.</p>;
  const state = searching.state.value;
  return (
    <p class="remark" role="alert">
      {difference
        ? `${formatCount(difference.count)} of ${formatCounted(difference.of, 'pixel')} differ from the trace, by at most ${formatCount(difference.largest)} of 255.`
        : 'The picture of the file has another size.'}{' '}
      {state.at === 'looking' ? 'Searching the first draw that differs…' : state.at === 'done' ? state.sentence : ''}
    </p>
  );
}

interface SmallerProps {
  readonly cutting: Cutting;
  readonly touched: Replay['touches']['value'];
  readonly call: number;
}

/** The way to a smaller file. */
function Smaller({ cutting, touched, call }: SmallerProps) {
  const step = cutting.step.value;
  const isReady = step.at === 'done' && cutting.pictures.value?.every(Boolean);
  const pixel = touched?.call === call ? touched : null;
  return (
    <p class="row wrap">
      <button
        type="button"
        disabled={!isReady}
        title="Tries to leave out half of the calls, then ever smaller parts. Each try is replayed"
        onClick={() => void cutting.shrink(null)}
      >
        Leave out what the picture does not need
      </button>
      {pixel && (
        <button type="button" disabled={!isReady} onClick={() => void cutting.shrink(pixel)}>
          … what pixel {pixel.x}, {pixel.y} does not need
        </button>
      )}
    </p>
  );
}

/** What should not leave. The file is written again, and its picture compared. */
function Clean({ cutting, calls }: { cutting: Cutting; calls: number }) {
  const choices = cutting.choices.value;
  const { at } = cutting.step.value;
  useEffect(() => void cutting.rewrite(), [cutting, choices, at]);
  return (
    <div>
      <Cleaning choices={cutting.choices} of={String(calls)} preview={cutting.look} />
      {choices.texts !== 'keep' && (
        <p class="muted">Sources of shaders that are used and names of uniforms stay: the picture needs them.</p>
      )}
    </div>
  );
}

/** Reasons that are listed before all are asked for. */
const MOST_ROWS = 200;

/** What is kept, and why. */
function Kept({ rows }: { rows: readonly KeptCalls[] }) {
  return (
    <details>
      <summary>What is kept, and why</summary>
      <table class="frame-cut-kept">
        <thead>
          <tr>
            <th scope="col">For</th>
            <th scope="col">Calls</th>
            <th scope="col">Draws</th>
            <th scope="col">Uploaded</th>
            <th scope="col">First call</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST_ROWS).map((row) => (
            <tr key={row.what}>
              <th scope="row">{row.what}</th>
              <td>{formatCount(row.calls)}</td>
              <td>{row.draws > 0 && formatCount(row.draws)}</td>
              <td>{row.uploaded > 0 && formatBytes(row.uploaded)}</td>
              <td>{formatCount(row.first)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MOST_ROWS && (
        <p class="muted">
          {formatCounted(rows.length - MOST_ROWS, 'further reason')}: <code>unspool cut --frames --json</code> lists
          all.
        </p>
      )}
    </details>
  );
}
