import './side_mark.css';

/** Says in a letter and a colour which of two traces something is of. */
export function SideMark({ side }: { side: 'a' | 'b' }) {
  return (
    <span class="side-mark" data-side={side}>
      {side.toUpperCase()}
    </span>
  );
}
