import type { Details } from '../../base/protocol.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { CallContext } from './call_context.tsx';
import { CallTimes } from './call_times.tsx';

/** What the survey of a trace knows of a call, as fields. */
export function GraphicsCall(props: { open: OpenTrace; details: Details }) {
  return (
    <>
      <CallContext {...props} />
      <CallTimes {...props} />
    </>
  );
}
