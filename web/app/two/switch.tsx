import { Segments } from '../../parts/segments.tsx';
import { SideMark } from '../../parts/side_mark.tsx';
import { type OpenTrace, type Pair, sideOf } from '../../timeline/open_trace.ts';
import './two.css';

/** The choice of the trace that panels, header and keys are about. */
export function SideSwitch({ pair, open }: { pair: Pair; open: OpenTrace }) {
  return (
    <div class="side-switch rigid">
      <Segments
        label="Trace in front"
        options={[
          ['a', <SideMark key="a" side="a" />],
          ['b', <SideMark key="b" side="b" />],
        ]}
        value={sideOf(open) ?? 'a'}
        choose={(side) => pair.show(pair[side])}
      />
    </div>
  );
}
