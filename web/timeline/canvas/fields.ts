/** Id of the field for a position or a name. */
export const GO_TO_ID = 'go-to';
/** Id of the field that filters tracks. */
export const TRACK_FILTER_ID = 'track-filter';
