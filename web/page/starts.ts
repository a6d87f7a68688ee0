import type { OpenTrace } from '../timeline/open_trace.ts';
import type { Asked, Page, Start } from './page.ts';

/** Questions that are shown of a trace at most. */
const MOST = 5;

/** Loads the questions of all features, in their order. */
export async function loadStarts({ features }: Pick<Page, 'features'>): Promise<readonly Start[]> {
  const all = await Promise.all(features.map(({ starts }) => starts?.() ?? []));
  return all.flat().sort((a, b) => a.place - b.place);
}

/** The first questions that a trace has an answer to. Subscribes. */
export function askedOf(
  starts: readonly Start[],
  open: OpenTrace,
  page: Page,
): readonly { readonly start: Start; readonly asked: Asked }[] {
  const asked = starts.flatMap((start) => {
    const question = start.asked(open, page);
    return question ? [{ start, asked: question }] : [];
  });
  return asked.slice(0, MOST);
}
