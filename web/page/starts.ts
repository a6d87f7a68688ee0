import type { OpenTrace } from '../timeline/open_trace.ts';
import type { Asked, Page, Start } from './page.ts';

/** A question, as it is asked of a trace. */
export interface AskedStart {
  readonly start: Start;
  readonly asked: Asked;
}

/** Loads the questions of all features, in their order. */
export async function loadStarts({ features }: Pick<Page, 'features'>): Promise<readonly Start[]> {
  const all = await Promise.all(features.map(({ starts }) => starts?.() ?? []));
  return all.flat().sort((a, b) => a.place - b.place);
}

/** The questions that a trace has an answer to, in their order: none if it is empty. Subscribes. */
export function askedOf(starts: readonly Start[], open: OpenTrace, page: Page): readonly AskedStart[] {
  const { status, progress } = open.trace;
  if (status.value.at === 'ready' && !progress.value.extent) return [];
  return starts.flatMap((start) => {
    const question = start.asked(open, page);
    return question ? [{ start, asked: question }] : [];
  });
}
