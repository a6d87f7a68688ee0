import type { ComponentType } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { formatCount } from '../../base/format.ts';
import { ticks } from '../../base/ticks.ts';
import { framesTrack } from '../../timeline/frames_track.ts';
import { bandOf } from '../../timeline/layout.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { toPixel } from '../../trace/view.ts';
import { FILM, filmPlaces } from './film.ts';
import { Held } from './held.tsx';
import { lackingOf, wordsOf } from './missing.tsx';
import type { SmallPicture } from './protocol.ts';
import type { Replay } from './replay.ts';
import './film.css';

/** Milliseconds that the view rests before pictures are asked for. */
const REST_MS = 300;

/** Small pictures of frames below their lane. */
export function filmOf(open: OpenTrace, replay: Replay): ComponentType {
  return () => <Strip open={open} replay={replay} />;
}

function Strip({ open, replay }: { open: OpenTrace; replay: Replay }) {
  const { timeline, trace } = open;
  const frames = replay.frames.value;
  const track = framesTrack(trace.tracks.value);
  const hasShown = replay.shown.value?.picture !== undefined && replay.shown.value?.picture !== null;
  const isHeld = replay.held.value !== '';
  const isOn = isHeld || (frames !== null && track !== null && hasShown && frames.to.length > 0);
  const view = timeline.view.value;
  const layout = timeline.layout.value;
  const laid = layout.tracks.find((it) => it.track.id === track);
  const { width } = timeline.size.value;
  void replay.film.version.value;
  const isShown = isOn && view && laid && !laid.folded;
  const xOf = (call: number) => (view ? toPixel(view, ticks(BigInt(call))) : 0);
  const places = isShown && frames && !isHeld ? filmPlaces(frames, { width, xOf }) : [];
  const callOf = (frame: number) => frames?.to[frame] ?? 0;
  const calls = places.map(({ frame }) => callOf(frame));
  const key = calls.join();
  const coverage = replay.coverage.value;
  const refusals = replay.refusals.value;
  const lacking = useMemo(
    () => calls.map((call) => (coverage && frames ? lackingOf(coverage, frames, refusals, call) : null)),
    [key, coverage, refusals],
  );
  const lacks = (i: number) => (lacking[i] ? `: ${wordsOf(lacking[i])}` : '');
  useEffect(() => {
    if (key === '') return undefined;
    const scale = globalThis.devicePixelRatio || 1;
    const timer = setTimeout(() => replay.want(calls, FILM.width * scale, FILM.height * scale), REST_MS);
    return () => clearTimeout(timer);
  }, [key, isOn]);
  if (!isShown) return null;
  const band = bandOf(layout, timeline.window.value, laid);
  const top = laid.top + laid.slices + laid.rows * laid.rowHeight + 3 - band.shift;
  if (top + FILM.height < band.top || top > band.bottom) return null;
  if (isHeld)
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: presses of the timeline would take the click from the button.
      <div
        class="film film-held"
        style={{ top: `${top}px`, height: `${FILM.height}px` }}
        onPointerDown={(event) => event.stopPropagation()}
        onMouseDown={(event) => event.stopPropagation()}
        onDblClick={(event) => event.stopPropagation()}
      >
        <Held replay={replay} />
      </div>
    );
  return (
    <div class="film" aria-hidden="true" style={{ top: `${top}px`, height: `${FILM.height}px` }}>
      {places.map(({ frame, x }, i) => {
        const picture = replay.film.pictures.get(callOf(frame));
        return (
          <div
            key={frame}
            class={`film-frame${picture ? '' : ' film-waits'}${lacks(i) ? ' film-lacks' : ''}`}
            style={{ transform: `translateX(${Math.round(x)}px)`, width: `${FILM.width}px` }}
            title={`Frame ${formatCount(frame)}${lacks(i)}`}
          >
            {picture && <Small picture={picture} />}
          </div>
        );
      })}
    </div>
  );
}

function Small({ picture }: { picture: SmallPicture }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height, pixels } = picture;
  useEffect(() => {
    canvas.current?.getContext('2d', { alpha: false })?.putImageData(new ImageData(pixels, width, height), 0, 0);
  }, [picture]);
  return <canvas ref={canvas} class="film-picture" width={width} height={height} />;
}
