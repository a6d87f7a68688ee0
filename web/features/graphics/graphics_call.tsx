import type { Details } from '../../base/protocol.ts';
import { framesTrack } from '../../timeline/frames_track.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { CallContext } from './call_context.tsx';
import { CallTimes } from './call_times.tsx';
import { FrameChange } from './frame_change.tsx';

/** What the survey of a trace knows of a call or a frame, as fields. */
export function GraphicsCall(props: { open: OpenTrace; details: Details }) {
  const { open, details } = props;
  if (details.track === framesTrack(open.trace.tracks.value)) return <FrameChange {...props} />;
  // A group begins at a call, but is not one.
  if (details.offset === null) return null;
  return (
    <>
      <CallContext {...props} />
      <CallTimes {...props} />
    </>
  );
}
