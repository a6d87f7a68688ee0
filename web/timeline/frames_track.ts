import type { Tracks } from '../trace/tracks.ts';

/** The track of the frames, or null. */
export function framesTrack(tracks: Tracks): number | null {
  for (const track of tracks.values()) if (track.kind === 'lane' && track.name === 'frames') return track.id;
  return null;
}
