import { signal } from '@preact/signals';
import { type Opened, perTrace } from '../../trace/per_trace.ts';
import type { PictureView } from './protocol.ts';

/** The kinds of pictures, with their titles. */
export const PICTURE_VIEWS: readonly (readonly [PictureView, string])[] = [
  ['color', 'Picture'],
  ['changed', 'Changed'],
  ['overdraw', 'Overdraw'],
  ['wireframe', 'Wireframe'],
  ['depth', 'Depth'],
];

/** The kind of picture that is shown of a trace. */
export const pictureView = perTrace((_: Opened) => signal<PictureView>('color'));
