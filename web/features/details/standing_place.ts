import type { Found } from '../../base/protocol.ts';
import type { StandingFinding } from '../../base/summary_protocol.ts';
import { ticks } from '../../base/ticks.ts';
import type { Page } from '../../page/page.ts';
import { goToPosition } from '../../timeline/go_to.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { pointedOf } from '../../trace/pointed.ts';
import type { Trace } from '../../trace/trace.ts';

/** The part of the window that is added on either side of what a finding is about. */
const MARGIN = 0.2;

/** Selects the place of a finding, and shows all of it in the timeline. */
export async function goToStanding(finding: StandingFinding, open: OpenTrace, page: Page): Promise<void> {
  const { trace, timeline, selection } = open;
  const { at, end, track } = finding;
  const clock = trace.info.peek()?.clock;
  if (at === null || !clock) return;
  const span = { from: ticks(at), to: ticks(end ?? at) };
  if (clock.kind === 'ordinal') await goToPosition(span.from, open);
  else {
    const found = await sliceOf(finding, trace);
    if (found) {
      selection.selected.value = pointedOf(found);
      selection.revealRow();
    } else if (track !== null) page.surface.peek()?.goToTrack(track);
  }
  if (end !== null) timeline.show(span, 'gliding', MARGIN);
}

/** Selects one of the positions where a finding happens. */
export async function goToPlace(finding: StandingFinding, place: bigint, open: OpenTrace, page: Page): Promise<void> {
  const { trace, selection } = open;
  const { name, track } = finding;
  // Calls that are alike may be in several threads: the name of their function leads to each.
  if (track === null || trace.names.text.includes(name ?? '')) {
    return goToStanding({ ...finding, at: place, end: null, track: null }, open, page);
  }
  // What is about a thread has places within its calls.
  const enclosing = await trace.find({ to: 'at', time: ticks(place), track });
  if (!enclosing) return page.surface.peek()?.goToTrack(track);
  selection.selected.value = pointedOf(enclosing);
  selection.revealRow();
}

/** The call that a finding is about: the one that is just as long, or else the first one of its function. */
async function sliceOf({ name, at, end, track }: StandingFinding, trace: Trace): Promise<Found | null> {
  if (at === null) return null;
  const time = ticks(at);
  if (track === null) {
    const id = trace.names.text.indexOf(name ?? '');
    return id < 0 ? null : trace.find({ to: 'named', time, name: id });
  }
  let found = await trace.find({ to: 'at', time, track });
  while (found && (found.start !== time || found.end !== end)) {
    found = await trace.find({ to: 'caller', item: found.item });
  }
  return found;
}
