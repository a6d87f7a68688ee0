/**
 * The part of a 2D canvas that drawings use, so that they can be drawn as vectors, too ({@link createVector}). Nothing is cleared: the owner of
 * a canvas does that.
 */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | 'beginPath'
  | 'clip'
  | 'fill'
  | 'fillRect'
  | 'fillStyle'
  | 'fillText'
  | 'font'
  | 'globalAlpha'
  | 'lineTo'
  | 'lineWidth'
  | 'measureText'
  | 'moveTo'
  | 'rect'
  | 'restore'
  | 'save'
  | 'scale'
  | 'setLineDash'
  | 'stroke'
  | 'strokeRect'
  | 'strokeStyle'
  | 'textBaseline'
  | 'translate'
>;
