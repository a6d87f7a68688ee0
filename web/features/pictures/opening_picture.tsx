import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { formatCount } from '../../base/format.ts';
import type { Page } from '../../page/page.ts';
import { PlaceLink } from '../../page/place_link.tsx';
import { selectFrameAt } from '../../timeline/frames.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { frameOf } from './gl/frames.ts';
import { Held } from './held.tsx';
import { Missing } from './missing.tsx';
import { heaviest } from './pictured_calls.ts';
import type { Picture } from './protocol.ts';
import type { Replay } from './replay.ts';

/** What the trace opens with, for its replay: the picture of its heaviest frame, or why it is not made before the user wants it. */
export function openingPicture(open: OpenTrace, replay: Replay): ComponentType<{ page: Page }> {
  return ({ page }) => <Opening open={open} page={page} replay={replay} />;
}

function Opening({ open, page, replay }: { open: OpenTrace; page: Page; replay: Replay }) {
  const held = replay.held.value;
  const shown = replay.shown.value;
  const frames = replay.frames.value;
  if (replay.failure.value) return <p class="muted">{replay.failure.value.sentence}</p>;
  if (held !== '') return <Held replay={replay} />;
  if (!shown?.picture || !frames) {
    const share = Math.floor(100 * (replay.progress.value?.share ?? 0));
    return <p class="muted">{share > 0 ? `Making a picture… ${share} %` : 'Making a picture…'}</p>;
  }
  const { call, picture } = shown;
  const frame = frameOf(frames, call);
  const show = () => {
    void selectFrameAt(call, open);
    page.dock.pane.value = 'picture';
  };
  return (
    <>
      <button type="button" class="plain opening-picture" aria-label="Show this picture" onClick={show}>
        <Pixels picture={picture} />
      </button>
      <Missing replay={replay} call={call} />
      {frame >= 0 && (
        <p class="muted">
          <PlaceLink open={open} page={page} place={{ to: 'frame', call }} title="Show it in Frames">
            Frame {formatCount(frame)}
          </PlaceLink>
          {frame === heaviest(frames) && frames.to.length > 1 && ', the one with the most draws'}
        </p>
      )}
    </>
  );
}

function Pixels({ picture: { width, height, pixels } }: { picture: Picture }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    canvas.current?.getContext('2d')?.putImageData(new ImageData(pixels, width, height), 0, 0);
  }, [pixels]);
  return <canvas ref={canvas} width={width} height={height} />;
}
