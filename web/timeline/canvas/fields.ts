/** Id of the field that filters tracks. */
export const TRACK_FILTER_ID = 'track-filter';
