import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** CSS pixels of the track names: the limits, and the width that `style.css` begins with. */
const LEAST = 120;
const MOST = 480;
const FIRST = 230;
/** Windows up to this width (CSS pixels) have {@link FIRST_NARROW}. */
const NARROW = 900;
const FIRST_NARROW = 162;
/** CSS pixels that a key moves the divider. */
const STEP = 16;

/** The divider between track names and timeline, which the pointer drags and the arrow keys move. */
export function Divider() {
  /** The width that the user has chosen; null for that of the style, which follows the window. */
  const chosen = useSignal<number | null>(null);
  useEffect(() => {
    const { style } = document.documentElement;
    if (chosen.value === null) style.removeProperty('--tracks');
    else style.setProperty('--tracks', `min(${chosen.value}px, 60vw)`);
  }, [chosen.value]);
  const width = chosen.value ?? (innerWidth <= NARROW ? FIRST_NARROW : FIRST);
  const set = (next: number) => {
    chosen.value = Math.max(LEAST, Math.min(MOST, next));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a thematic break is not what a movable separator is.
    <div
      class="divider"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the track names"
      aria-valuenow={width}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) set(event.clientX);
      }}
      onDblClick={() => {
        chosen.value = null;
      }}
      onKeyDown={(event) => {
        if (event.key === 'ArrowLeft') set(width - STEP);
        else if (event.key === 'ArrowRight') set(width + STEP);
      }}
    />
  );
}
