import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** CSS pixels of the track names: the limits and the initial width. */
const LEAST = 120;
const MOST = 480;
const FIRST = 230;
/** Windows below this width (CSS pixels) start with {@link FIRST_NARROW}. */
const NARROW = 900;
const FIRST_NARROW = 162;
/** CSS pixels that a key moves the divider. */
const STEP = 16;

/** The divider between track names and timeline, which the pointer drags and the arrow keys move. */
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
