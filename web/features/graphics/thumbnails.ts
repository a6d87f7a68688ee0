import type { ResourceColumns, Thumbnail } from '../../base/survey_protocol.ts';
import type { Places } from '../../page/page.ts';
import { perTrace } from '../../trace/per_trace.ts';
import type { Survey } from '../../trace/survey.ts';
import { surveyOf } from '../../trace/surveys.ts';
import { resourceAt } from './resources/wanted.ts';

/** Device pixels of a thumbnail, at most, in each direction. */
const SIDE = 96;
/** Thumbnails that are kept. */
const MOST = 200;

/** Small pictures of the textures of a trace. */
export interface Thumbnails {
  /** The texture as it is at a call. Resolves with null if that is not known, or if it is no longer `isWanted` when its turn comes. */
  of(place: Places['resource'], isWanted: () => boolean): Promise<Thumbnail | null>;
}

/** Small pictures of textures, read one after the other. What is the same at several calls is read once. */
export function createThumbnails(survey: Pick<Survey, 'resources'> & { readonly ask: Asked }): Thumbnails {
  const kept = new Map<string, Thumbnail | null>();
  let before: Promise<unknown> = Promise.resolve();
  const read = async (resources: ResourceColumns, place: Places['resource']): Promise<Thumbnail | null> => {
    const at = resourceAt(resources, place);
    if (at < 0) return null;
    const events = await survey.ask.events(at);
    // What it holds is that of the last call that changed it.
    const changed = events?.calls.findLast(
      (call, i) => call <= place.call && (events.what[i] === 'uploaded' || events.what[i] === 'written'),
    );
    if (changed === undefined) return null;
    const key = `${at} ${changed}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const found = await survey.ask.thumbnail(at, place.call, SIDE);
    kept.set(key, found);
    if (kept.size > MOST) kept.delete(kept.keys().next().value ?? '');
    return found;
  };
  return {
    of: (place, isWanted) => {
      const found = before.then(() => {
        const resources = survey.resources.peek();
        return resources && isWanted() ? read(resources, place) : null;
      });
      before = found.catch(() => undefined);
      return found;
    },
  };
}

type Asked = Pick<Survey['ask'], 'events' | 'thumbnail'>;

/** The thumbnails of a trace. */
export const thumbnailsOf = perTrace((open: Parameters<typeof surveyOf>[0]) => createThumbnails(surveyOf(open)));
