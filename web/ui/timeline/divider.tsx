import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

const LEAST = 120;
const MOST = 480;
const FIRST = 230;
/** In windows narrower than this the timeline needs the room more. */
const NARROW = 700;
const FIRST_NARROW = 140;
const STEP = 16;

/** Between track names and timeline: drag it, or move it with the arrow keys. */
export function Divider() {
  const first = innerWidth < NARROW ? FIRST_NARROW : FIRST;
  const width = useSignal(first);
  useEffect(() => {
    document.documentElement.style.setProperty('--tracks', `${width.value}px`);
  }, [width.value]);
  const set = (next: number) => {
    width.value = Math.max(LEAST, Math.min(MOST, next));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a thematic break is not what a movable separator is.
    <div
      class="divider"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the track names"
      aria-valuenow={width.value}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) set(event.clientX);
      }}
      onDblClick={() => set(first)}
      onKeyDown={(event) => {
        if (event.key === 'ArrowLeft') set(width.value - STEP);
        else if (event.key === 'ArrowRight') set(width.value + STEP);
      }}
    />
  );
}
