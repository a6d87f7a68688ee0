import { formatCount, formatCounted } from '../../base/format.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { CallLink } from './call_link.tsx';
import { hexOf } from './canvas.tsx';
import type { Replay } from './replay.ts';

/** The draws of the frame that touched a pixel, each with its colour before and after. */
export function TouchesOf({ open, replay, call: shown }: { open: OpenTrace; replay: Replay; call: number | null }) {
  const found = replay.touches.value;
  if (!found) return null;
  const { x, y, touches, isAll, call } = found;
  return (
    <section class="picture-touches" aria-label="Draws of a pixel">
      <div class="picture-touches-head">
        <h2>
          Pixel {x}, {y}
        </h2>
        <button type="button" class="plain" aria-label="Close the draws of the pixel" onClick={replay.forgetPixel}>
          ×
        </button>
      </div>
      <p class="muted">
        {touches.length === 0
          ? `No draw of the frame up to call ${formatCount(call)} touched it.`
          : `${formatCounted(touches.length, 'draw')} of the frame touched it, up to call ${formatCount(call)}.`}
        {!isAll && ' There are more.'}
      </p>
      <ol>
        {touches.map((touch, i) => (
          <li key={`${touch.call} ${i}`} aria-current={touch.call === shown ? 'true' : undefined}>
            <CallLink open={open} call={touch.call} />
            <Swatch color={touch.before} />
            <span aria-hidden="true">→</span>
            <Swatch color={touch.after} />
            <span class="picture-pixel rigid">
              {hexOf(touch.after)}
              {touch.after[3] === 255 ? '' : ` alpha ${touch.after[3]}`}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Swatch({ color }: { color: readonly number[] }) {
  return <span class="picture-swatch" style={{ background: hexOf(color) }} title={color.join(' ')} />;
}
