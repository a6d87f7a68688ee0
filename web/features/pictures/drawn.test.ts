import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { createScope } from '../../base/scope.ts';
import { createNames } from '../../trace/names.ts';
import type { Opened } from '../../trace/per_trace.ts';
import { isDrawn } from './drawn.ts';

function opened(offers: readonly string[]) {
  const trace = {
    status: signal({ at: 'loading' }),
    tracks: signal(0),
    info: signal({ offers }),
    names: createNames(),
  };
  const scope = createScope();
  const open = { trace, selection: null, scope } as unknown as Opened;
  let count = 0;
  const read = (...names: string[]) => {
    trace.names.add(count, names, null);
    count += names.length;
    trace.tracks.value += 1;
  };
  const end = () => {
    trace.status.value = { at: 'ready' };
  };
  return { is: isDrawn(open).is, read, end, scope };
}

it('expects pictures of calls of OpenGL, until none of them draws', () => {
  const drawing = opened(['graphics']);
  expect(drawing.is.value).toBe(false);
  drawing.read('glXCreateContext', 'frame 0');
  expect(drawing.is.value).toBe(true);
  drawing.read('glClear');
  drawing.end();
  expect(drawing.is.value).toBe(true);

  const quiet = opened(['graphics']);
  quiet.read('eglInitialize', 'glClearColor', 'glGetString');
  expect(quiet.is.value).toBe(true);
  quiet.end();
  expect(quiet.is.value).toBe(false);
});

it('expects none of Direct3D, or of other traces', () => {
  const direct3d = opened(['graphics']);
  direct3d.read('Direct3DCreate9', 'IDirect3DDevice9::DrawPrimitive', 'global');
  expect(direct3d.is.value).toBe(false);
  const other = opened([]);
  other.read('glDrawArrays');
  other.end();
  expect(other.is.value).toBe(false);
});
