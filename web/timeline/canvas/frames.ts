/** What a frame of the timeline showed. */
export interface FrameNote {
  /** Slices, instants and graphs on the screen. */
  readonly shapes: number;
  /** The picture had everything on the screen at full resolution. */
  readonly exact: boolean;
}

/**
 * Records a frame as a User Timing measure. Drawing began at `began` (milliseconds of `performance.now`) and ends now.
 */
export type NoteFrame = (began: number, note: FrameNote) => void;

const NAME = 'unspool:frame';
/** Measures are discarded after this many, which bounds their memory on a page that stays open. */
const KEPT = 500;

/** A recorder that numbers frames from 1. */
export function createFrameNotes(): NoteFrame {
  let drawn = 0;
  return (began, note) => {
    if (drawn % KEPT === 0) performance.clearMeasures(NAME);
    drawn += 1;
    performance.measure(NAME, { start: began, detail: { frame: drawn, ...note } });
  };
}
