import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

/** CSS pixels of a row, as in the style sheet. */
const ROW = 18;
/** CSS pixels of the tallest box without scrolling. */
const TALLEST = 14 * ROW;
/** Rows kept above and below the visible ones. */
const SPARE = 4;

interface Props {
  readonly count: number;
  readonly label: string;
  readonly row: (i: number) => ComponentChildren;
}

/** A scrolling box of rows of equal height. Only the visible rows exist. */
export function Rows({ count, label, row }: Props) {
  const top = useSignal(0);
  const first = Math.max(0, Math.floor(top.value / ROW) - SPARE);
  const end = Math.min(count, Math.ceil((top.value + TALLEST) / ROW) + SPARE);
  const shown = Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);
  return (
    <section
      class="rows thin-scroll"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
      tabIndex={0}
      aria-label={label}
      onScroll={(event) => {
        top.value = event.currentTarget.scrollTop;
      }}
    >
      <div class="rows-sizer" style={{ height: `${count * ROW}px` }}>
        {shown.map((i) => (
          <div class="rows-row" key={i} style={{ top: `${i * ROW}px` }}>
            {row(i)}
          </div>
        ))}
      </div>
    </section>
  );
}
