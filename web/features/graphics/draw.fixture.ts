import type { GlDraw } from './gl_state_protocol.ts';

/** For tests: a draw of three vertices in their order, without inputs. */
export const TRIANGLE: GlDraw = {
  mode: 'GL_TRIANGLES',
  ranges: [[0, 3, 0]],
  instances: 1,
  baseInstance: 0,
  indexed: 0,
  isOwn: false,
  indices: null,
  restart: null,
  indirect: null,
  inputs: [],
};
