import { type Signal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatCount, formatCounted } from '../../base/format.ts';
import { runCommand } from '../../page/commands.ts';
import type { Page, PanelView } from '../../page/page.ts';
import { PlaceLink } from '../../page/place_link.tsx';
import { Lazy } from '../../parts/lazy.tsx';
import { Segments } from '../../parts/segments.tsx';
import { frameText, selectFrameAt } from '../../timeline/frames.ts';
import { framesTrack } from '../../timeline/frames_track.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { CompareButtons } from './both/buttons.tsx';
import { comparingOf } from './both/comparing.ts';
import { selectCall } from './call_link.tsx';
import { Canvas, Enlarged } from './canvas.tsx';
import { CoverageOf, Failures, Refusals } from './coverage.tsx';
import { SAVE_FRAME } from './cut/command.ts';
import { frameOf } from './gl/frames.ts';
import { Missing } from './missing.tsx';
import { PICTURE_VIEWS, pictureView } from './picture_view.ts';
import { drawsOf, frameNumber, heaviest, type PictureNames, pictureCall, pictureNames } from './pictured_calls.ts';
import type { Limit, Picture } from './protocol.ts';
import type { Replay } from './replay.ts';
import { replayOf } from './replays.ts';
import { TouchesOf } from './touches.tsx';
import './picture.css';

/** The picture at the selection of a trace. */
export function pictureOf(open: OpenTrace, page: Page): PanelView {
  const replay = replayOf(open);
  return { component: () => <PictureAt open={open} page={page} replay={replay} /> };
}

/** Selects a call, or what it belongs to. */
type Selects = (call: number, open: OpenTrace) => Promise<void>;

/** The call whose picture the selection is about. null without a selection. */
function callOf({ selection, trace }: OpenTrace, { frames }: Replay): number | null {
  const place = selection.place();
  return place && pictureCall(place, trace.tracks.value, frames.value);
}

function PictureAt({ open, page, replay }: { open: OpenTrace; page: Page; replay: Replay }) {
  const view = pictureView(open);
  /** A call that was chosen here, until it is selected: steps that follow quickly begin at it. */
  const chosen = useSignal<number | null>(null);
  const selecting = useRef(0);
  const large = useSignal(false);
  const choose = (x: number, y: number) => {
    if (call.peek() !== null) void replay.askPixel(call.peek()!, x, y);
  };
  const ready = useComputed(() => open.trace.status.value.at === 'ready');
  const selected = useComputed(() => callOf(open, replay));
  const frames = replay.frames.value;
  const call = useComputed(() => {
    if (chosen.value !== null) return chosen.value;
    if (selected.value !== null) return selected.value;
    // Without a selection: where most is to be seen.
    const all = replay.frames.value;
    return all && all.to.length > 0 ? (all.to[heaviest(all)] ?? 0) : null;
  });
  useEffect(() => {
    if (selecting.current === 0 || selected.value === chosen.peek()) chosen.value = null;
  }, [selected.value]);
  const step = (to: number, select: Selects) => {
    chosen.value = to;
    selecting.current += 1;
    void select(to, open).finally(() => {
      selecting.current -= 1;
    });
  };
  useEffect(() => {
    if (ready.value) replay.look();
  }, [ready.value, replay.limits.value]);
  const isCompared = comparingOf(open).against.value !== 'none';
  useEffect(() => {
    if (ready.value && call.value !== null && !isCompared) void replay.ask(call.value, view.value);
  }, [ready.value, call.value, view.value, isCompared, replay.limits.value]);
  useEffect(() => {
    // The draws of the pixel stay while one of them is looked at.
    const isOfPixel = replay.touches.peek()?.touches.some((touch) => touch.call === call.value) ?? false;
    if (!isOfPixel) replay.forgetPixel();
  }, [call.value]);

  const shown = replay.shown.value;
  const names = shown && pictureNames(open.trace.name, frames, shown, call.value, view.value);
  /** The picture that is looked at. null while it is made. */
  const picture = names?.old === undefined ? (shown?.picture ?? null) : null;
  if (!ready.value) return <p class="muted">Pictures can be replayed once the trace has been read.</p>;
  const failure = replay.failure.value;
  if (isCompared)
    return (
      <div class="picture">
        <Where open={open} page={page} replay={replay} call={call} step={step} />
        <Lazy load={async () => (await import('./both/compared.tsx')).Compared} props={{ open, call }} />
      </div>
    );
  if (failure)
    return (
      <div class="picture">
        {failure.isPassing && <Where open={open} page={page} replay={replay} call={call} step={step} />}
        <div role="alert">
          <p class="remark">{failure.sentence}</p>
          <p>
            <button type="button" onClick={() => replay.again(failure.limit)}>
              {failure.limit === 'gpu' ? 'Replay anyway' : 'Try again'}
            </button>
          </p>
        </div>
      </div>
    );
  return (
    <div class="picture" aria-busy={replay.progress.value !== null}>
      <Where open={open} page={page} replay={replay} call={call} step={step} />
      <Frame {...{ open, replay, large, choose, names }} saveFrame={() => runCommand(page, SAVE_FRAME.id)} />
      {frames && frames.to.length > 0 && (
        <div class="picture-views">
          <Segments
            label="What the picture shows"
            options={PICTURE_VIEWS}
            value={view.value}
            choose={(it) => {
              view.value = it;
            }}
          />
        </div>
      )}
      {picture && picture.changed !== null && (
        <p class="muted">
          {picture.changed === 0
            ? 'This call changes no pixel.'
            : `This call changes ${formatCounted(picture.changed, 'pixel')}.`}
        </p>
      )}
      {picture?.note && <p class="muted">{picture.note}</p>}
      <TouchesOf open={open} replay={replay} call={call.value} />
      {replay.coverage.value?.draws !== 0 && (
        <p class="muted">Replayed on this computer's GPU, not what the traced machine showed.</p>
      )}
      {picture?.halted && (
        <p class="remark">
          {picture.halted} <Raise replay={replay} limit={picture.limit} />
        </p>
      )}
      <CoverageOf open={open} replay={replay} />
      <Refusals replay={replay} open={open} />
      <Failures replay={replay} open={open} />
      {large.value && shown?.picture && names && (
        <Enlarged
          {...names}
          picture={shown.picture}
          title={`After call ${formatCount(shown.call)}`}
          note={<Missing replay={replay} call={shown.call} />}
          choose={choose}
          close={() => {
            large.value = false;
          }}
        />
      )}
    </div>
  );
}

/** The frame and the draw, with ways to others. */
function Where({
  open,
  page,
  replay,
  call,
  step,
}: {
  open: OpenTrace;
  page: Page;
  replay: Replay;
  call: { readonly value: number | null };
  /** Selects a call, or the frame that it ends. */
  step: (to: number, select: Selects) => void;
}) {
  const frames = replay.frames.value;
  const coverage = replay.coverage.value;
  const at = call.value;
  const found = useComputed(() =>
    call.value !== null && replay.frames.value ? frameOf(replay.frames.value, call.value) : -1,
  );
  // A list of all draws is looked through once a frame, not for each step of the slider.
  const listed = useComputed(() =>
    found.value >= 0 && replay.coverage.value && replay.frames.value
      ? drawsOf(replay.coverage.value, replay.frames.value, found.value)
      : [],
  );
  if (!frames || !coverage) return null;
  if (coverage.draws === 0) return <p class="muted">This trace has no OpenGL draws to replay.</p>;
  if (at === null) return null;
  const [frame, draws] = [found.value, listed.value];
  const number = frameNumber(frames, at);
  const lane = open.trace.tracks.value.get(framesTrack(open.trace.tracks.value) ?? -1);
  const draw = draws.filter((each) => each <= at).length;
  const end = (index: number) => frames.to[index] ?? 0;
  const showFrame = (index: number) => step(end(index), selectFrameAt);
  const show = (to: number) => step(to, selectCall);
  return (
    <div class="picture-where">
      <p class="picture-at wrap">
        <span>
          {number < 0 ? (
            'Outside of frames'
          ) : (
            <PlaceLink open={open} page={page} place={{ to: 'frame', call: at }} title="Show it in Frames">
              {frameText(number, lane?.slices ?? frames.to.length)}
            </PlaceLink>
          )}
        </span>{' '}
        <PlaceLink open={open} page={page} place={{ to: 'position', at }} title="Select this call">
          after call {formatCount(at)}
        </PlaceLink>
      </p>
      {frame >= 0 && (
        <div class="picture-steps wrap">
          <span>
            <button
              type="button"
              aria-label="Previous frame"
              disabled={frame === 0}
              onClick={() => showFrame(frame - 1)}
            >
              ◂ frame
            </button>
            <button
              type="button"
              aria-label="Next frame"
              disabled={frame + 1 >= frames.to.length}
              onClick={() => showFrame(frame + 1)}
            >
              frame ▸
            </button>
          </span>
          <span>
            <button
              type="button"
              aria-label="Previous draw"
              disabled={draw <= 1}
              onClick={() => show(draws[(draws[draw - 1] === at ? draw : draw + 1) - 2] ?? at)}
            >
              ◂ draw
            </button>
            <button
              type="button"
              aria-label="Next draw"
              disabled={draw >= draws.length}
              onClick={() => show(draws[draw] ?? at)}
            >
              draw ▸
            </button>
          </span>
        </div>
      )}
      {draws.length > 1 && (
        <label class="picture-scrub">
          <span class="muted">
            {formatCount(draw)} of {formatCount(draws.length)} draws and clears
          </span>
          <input
            type="range"
            min={1}
            max={draws.length}
            value={Math.max(1, draw)}
            onInput={(event) => show(draws[Number(event.currentTarget.value) - 1] ?? at)}
          />
        </label>
      )}
    </div>
  );
}

/** Raises the limit that the replay ran into. */
function Raise({ replay, limit }: { replay: Replay; limit: Limit }) {
  if (limit === '') return null;
  return (
    <button type="button" onClick={() => replay.again(limit)}>
      {limit === 'bytes' ? `Allow ${formatCount(2 * replay.limits.value.megabytes)} MiB` : 'Go on'}
    </button>
  );
}

interface FrameProps {
  readonly open: OpenTrace;
  readonly saveFrame: () => void;
  readonly replay: Replay;
  readonly large: Signal<boolean>;
  readonly choose: (x: number, y: number) => void;
  readonly names: PictureNames | null;
}

/** The picture, or how far it is. */
function Frame({ open, replay, large, choose, names, saveFrame }: FrameProps) {
  const shown = replay.shown.value;
  const progress = replay.progress.value;
  const picture: Picture | null = shown?.picture ?? null;
  return (
    <div class="picture-frame row wrap">
      {shown && picture && <Missing replay={replay} call={shown.call} />}
      {shown && picture && names && (
        <Canvas
          {...names}
          picture={picture}
          choose={choose}
          enlarge={() => {
            large.value = true;
          }}
          tools={
            <>
              <CompareButtons open={open} call={shown.call} />
              <button type="button" title="Save this frame as a trace that replays by itself" onClick={saveFrame}>
                Save frame…
              </button>
            </>
          }
        />
      )}
      {shown && !picture && names?.old === undefined && <p class="muted">No visible framebuffer at this call.</p>}
      <div class="picture-progress row small" role="status">
        {progress && (
          <>
            <progress max={1} value={progress.share} aria-label="Replay" />
            <span class="muted">
              {progress.what === 'looking' ? 'Scanning all calls' : 'Replaying'}… {Math.floor(100 * progress.share)} %
            </span>
            {progress.isLong && (
              <button type="button" onClick={replay.enough}>
                Stop
              </button>
            )}
          </>
        )}
      </div>
    </div>
  );
}
