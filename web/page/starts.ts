import type { OpenTrace } from '../timeline/open_trace.ts';
import { perTrace } from '../trace/per_trace.ts';
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

/** The questions whose answers were known, and what they depend on. */
const answers = perTrace((_: OpenTrace) => ({ basis: [] as readonly unknown[], asked: new Map<string, Asked>() }));

/**
 * The questions that a trace has an answer to, in their order: none if it is empty. An answer stays when what has found it is no longer
 * shown. Subscribes.
 */
export function askedOf(starts: readonly Start[], open: OpenTrace, page: Page): readonly AskedStart[] {
  const { status, progress, companions, names } = open.trace;
  if (status.value.at === 'ready' && !progress.value.extent) return [];
  const cache = answers(open);
  const basis = [status.value, progress.value.extent?.to, companions.value, names.version.value];
  if (basis.some((value, i) => value !== cache.basis[i])) Object.assign(cache, { basis, asked: new Map() });
  return starts.flatMap((start) => {
    const question = start.asked(open, page);
    if (!question) return [];
    if (question.figure !== undefined) cache.asked.set(start.id, question);
    return [{ start, asked: cache.asked.get(start.id) ?? question }];
  });
}
