import type { ComponentChildren } from 'preact';
import './tooltip.css';

/** CSS pixels between the pointer and the box. */
const GAP = 14;

interface Props {
  /** The pointer, in CSS pixels from the left and the top of the area. */
  readonly at: { readonly x: number; readonly y: number };
  /** The area that the box must stay within, in CSS pixels. */
  readonly area: { readonly width: number; readonly height: number };
  /** CSS pixels that the box may be wide. */
  readonly widest: number;
  readonly children: ComponentChildren;
}

/** A box next to the pointer. It opens towards the side with more room, and so stays within the area unmeasured. */
export function TooltipBox({ at, area: { width, height }, widest, children }: Props) {
  const late = at.x > width / 2;
  const low = at.y > height / 2;
  const style = {
    [late ? 'right' : 'left']: `${(late ? width - at.x : at.x) + GAP}px`,
    [low ? 'bottom' : 'top']: `${(low ? height - at.y : at.y) + GAP}px`,
    maxWidth: `${Math.min(widest, (late ? at.x : width - at.x) - GAP)}px`,
  };
  return (
    <div class="tooltip floating small" style={style}>
      {children}
    </div>
  );
}
