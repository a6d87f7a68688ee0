import { batch } from '@preact/signals';
import { SideMark } from '../../../parts/side_mark.tsx';
import { type OpenTrace, sideOf } from '../../../timeline/open_trace.ts';
import { isDrawn } from '../drawn.ts';
import { comparingOf, otherOf } from './comparing.ts';

/** What compares the picture after a call of a trace with others. */
export function CompareButtons({ open, call }: { open: OpenTrace; call: number }) {
  const comparing = comparingOf(open);
  const other = otherOf(open);
  const side = other && sideOf(other);
  return (
    <>
      {other && side && isDrawn(other).is.value && (
        <button
          type="button"
          title="Compare with the same draw of the other trace"
          onClick={() => {
            comparing.against.value = 'other';
          }}
        >
          Compare with <SideMark side={side} />
        </button>
      )}
      <button
        type="button"
        title="Compare this picture with that of another frame or draw"
        onClick={() => {
          batch(() => {
            comparing.remembered.value = { open, call };
            comparing.against.value = 'remembered';
          });
        }}
      >
        Compare with…
      </button>
    </>
  );
}
