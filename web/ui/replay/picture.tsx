import { batch, type Signal, useComputed, useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { formatCount, formatCounted } from '../../base/format.ts';
import type { Picture, PictureView } from '../../base/replay_protocol.ts';
import { ticks } from '../../base/ticks.ts';
import { drawsOf, frameOf, heaviest, type Replay } from '../../model/replay.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import { Segments } from '../parts/segments.tsx';
import { Canvas, Enlarged } from './canvas.tsx';
import { CoverageOf, Failures } from './coverage.tsx';
import { replayOf } from './replays.ts';
import './picture.css';

const VIEWS: readonly (readonly [PictureView, string])[] = [
  ['color', 'Picture'],
  ['changed', 'Changed'],
  ['wireframe', 'Wireframe'],
];

/** The picture at the selection of a trace. */
export function pictureOf(open: OpenTrace): ComponentType {
  const replay = replayOf(open);
  return () => <PictureAt open={open} replay={replay} />;
}

/** The call that the selection is about: the call itself, or the one that ends the frame. null without a selection. */
function callOf({ selection, trace }: OpenTrace): number | null {
  const place = selection.place();
  if (!place) return null;
  const isCall = trace.tracks.value.get(place.track)?.kind === 'thread';
  return Number(isCall || place.end === null ? place.start : place.end);
}

function PictureAt({ open, replay }: { open: OpenTrace; replay: Replay }) {
  const view = useSignal<PictureView>('color');
  /** A call that was chosen here; the next selection replaces it. */
  const chosen = useSignal<number | null>(null);
  const large = useSignal(false);
  const ready = useComputed(() => open.trace.status.value.at === 'ready');
  const selected = useComputed(() => callOf(open));
  const frames = replay.frames.value;
  const call = useComputed(() => {
    if (chosen.value !== null) return chosen.value;
    if (selected.value !== null) return selected.value;
    // Without a selection: where most is to be seen.
    const all = replay.frames.value;
    return all && all.to.length > 0 ? Math.min(all.to[heaviest(all)] ?? 0, Number.MAX_SAFE_INTEGER) : null;
  });
  useEffect(() => {
    chosen.value = null;
  }, [selected.value]);
  useEffect(() => {
    if (ready.value) replay.look();
  }, [ready.value]);
  useEffect(() => {
    if (ready.value && call.value !== null && replay.error.value === '') void replay.ask(call.value, view.value);
  }, [ready.value, call.value, view.value, replay.error.value]);

  const shown = replay.shown.value;
  if (!ready.value) return <p class="muted">Pictures can be replayed when the trace has been read.</p>;
  if (replay.error.value !== '')
    return (
      <div role="alert">
        <p class="remark">{replay.error.value}</p>
        <p>
          <button type="button" onClick={replay.retry}>
            Try again
          </button>
        </p>
      </div>
    );
  return (
    <div class="picture" aria-busy={replay.progress.value !== null}>
      <Where open={open} replay={replay} call={call} chosen={chosen} />
      <Frame replay={replay} large={large} />
      {frames && frames.to.length > 0 && (
        <Segments
          label="What the picture shows"
          options={VIEWS}
          value={view.value}
          choose={(it) => {
            view.value = it;
          }}
        />
      )}
      {shown?.picture && shown.picture.changed !== null && (
        <p class="muted">
          {shown.picture.changed === 0
            ? 'This call changes no pixel.'
            : `This call changes ${formatCounted(shown.picture.changed, 'pixel')}.`}
        </p>
      )}
      <p class="muted">Replayed on this computer's GPU, not what the traced machine showed.</p>
      {shown?.picture?.halted && <p class="remark">{shown.picture.halted}</p>}
      <CoverageOf open={open} replay={replay} />
      <Failures replay={replay} open={open} />
      {large.value && shown?.picture && (
        <Enlarged
          picture={shown.picture}
          title={`After call ${formatCount(shown.call)}`}
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
  replay,
  call,
  chosen,
}: {
  open: OpenTrace;
  replay: Replay;
  call: { readonly value: number | null };
  chosen: Signal<number | null>;
}) {
  const frames = replay.frames.value;
  const coverage = replay.coverage.value;
  const at = call.value;
  if (!frames || !coverage) return null;
  if (coverage.draws === 0) return <p class="muted">This trace has no draws of OpenGL that can be replayed.</p>;
  if (at === null) return null;
  const frame = frameOf(frames, at);
  const draws = frame < 0 ? [] : drawsOf(coverage, frames, frame);
  const draw = draws.filter((each) => each <= at).length;
  const end = (index: number) => Math.min(frames.to[index] ?? 0, Number.MAX_SAFE_INTEGER);
  const show = (to: number) =>
    batch(() => {
      chosen.value = to;
    });
  const select = async () => {
    const row = await open.trace.records.recordAt(ticks(BigInt(at)), null);
    if (row) open.selection.revealRecord(row);
  };
  return (
    <div class="picture-where">
      <p>
        {frame < 0 ? 'Outside of frames' : `Frame ${formatCount(frame)} of ${formatCount(frames.to.length)}`}
        {' · '}
        <button type="button" class="plain link" title="Select this call" onClick={() => void select()}>
          after call {formatCount(at)}
        </button>
      </p>
      {frame >= 0 && (
        <span class="picture-steps">
          <button type="button" aria-label="Previous frame" disabled={frame === 0} onClick={() => show(end(frame - 1))}>
            ◂ frame
          </button>
          <button
            type="button"
            aria-label="Next frame"
            disabled={frame + 1 >= frames.to.length}
            onClick={() => show(end(frame + 1))}
          >
            frame ▸
          </button>
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
      )}
      {draws.length > 1 && (
        <label class="picture-scrub">
          <span class="muted">
            Draw {formatCount(draw)} of {formatCount(draws.length)}
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

/** The picture, or how far it is. */
function Frame({ replay, large }: { replay: Replay; large: Signal<boolean> }) {
  const shown = replay.shown.value;
  const progress = replay.progress.value;
  const picture: Picture | null = shown?.picture ?? null;
  return (
    <div class="picture-frame">
      {picture && (
        <Canvas
          picture={picture}
          enlarge={() => {
            large.value = true;
          }}
        />
      )}
      {shown && !picture && !progress && <p class="muted">Nothing is drawn to that could be shown here.</p>}
      <div class="picture-progress" role="status">
        {progress && (
          <>
            <progress max={1} value={progress.share} aria-label="Replay" />
            <span class="muted">
              {progress.what === 'looking' ? 'Looking at all calls' : 'Replaying'}… {Math.floor(100 * progress.share)} %
            </span>
          </>
        )}
      </div>
    </div>
  );
}
