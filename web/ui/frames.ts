/** What a frame of the timeline showed. */
export interface FrameNote {
  /** Slices, instants and graphs on the screen. */
  readonly shapes: number;
  /** The picture had all that was on the screen, as fine as it is looked at. */
  readonly exact: boolean;
}

const NAME = 'unspool:frame';
/** So many measures are kept: a day of looking must not fill the memory with them. */
const KEPT = 500;

let drawn = 0;

/** Notes a frame that began drawing at `began` and is drawn now, as a measure of User Timing for whoever watches. */
export function noteFrame(began: number, note: FrameNote): void {
  if (drawn % KEPT === 0) performance.clearMeasures(NAME);
  drawn += 1;
  performance.measure(NAME, { start: began, detail: { frame: drawn, ...note } });
}
