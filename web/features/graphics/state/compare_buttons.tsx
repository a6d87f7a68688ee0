import { SideMark } from '../../../parts/side_mark.tsx';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { againstOf, otherOf } from './against.ts';

/** What compares the state at a call with that at others. */
export function CompareState({ open, call }: { open: OpenTrace; call: number }) {
  const against = againstOf(open);
  const other = otherOf(open);
  return (
    <span class="gl-compare row">
      {other && (
        <button
          type="button"
          title="Compare with the state at what is selected in the other trace"
          onClick={() => {
            against.value = 'other';
          }}
        >
          Compare with <SideMark side={other.side} />
        </button>
      )}
      <button
        type="button"
        title="Compare this state with that at another call"
        onClick={() => {
          against.value = { open, call };
        }}
      >
        Compare with…
      </button>
    </span>
  );
}
