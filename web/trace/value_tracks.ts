import type { Tracks } from './tracks.ts';

/** Id of the value track of a variable: it has one, whatever files its points are in. undefined if there is none. */
export function valueTrackOf(
  tracks: Pick<Tracks, 'values'>,
  { name, type }: { readonly name: string; readonly type: string },
): number | undefined {
  return [...tracks.values()].find(
    (track) => track.kind === 'counter' && track.name === (name || '(no name)') && track.detail === type,
  )?.id;
}
