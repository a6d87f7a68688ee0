import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { Dispose } from '../../base/scope.ts';
import type { Page } from '../../page/page.ts';
import { type Opened, perTrace } from '../../trace/per_trace.ts';

/** Functions of OpenGL and of what makes its contexts, and those of them that draw. */
const OPENGL = /^(gl|glX|egl|wgl|CGL)[A-Z]/;
const DRAWS = /^gl(Multi|Mesh|Push)?(Draw|Clear(Buffer|$)|Begin$|CallList|Blit|Rect|Bitmap|CopyPixels)/;

/** Whether a trace has what pictures can be made of. While it is read, calls of OpenGL let expect some. */
export const isDrawn = perTrace((open: Opened): { readonly is: ReadonlySignal<boolean>; readonly dispose: Dispose } => {
  const { trace } = open;
  const is = signal(false);
  let [seen, hasCalls, hasDraws] = [0, false, false];
  const dispose = effect(() => {
    const isRead = trace.status.value.at === 'ready';
    // Names come with the tracks.
    void trace.tracks.value;
    if (!(trace.info.value?.offers.includes('graphics') ?? false)) return;
    for (const { text } = trace.names; seen < text.length && !hasDraws; seen += 1) {
      hasCalls ||= OPENGL.test(text[seen]!);
      hasDraws = DRAWS.test(text[seen]!);
    }
    is.value = hasDraws || (hasCalls && !isRead);
  });
  return { is, dispose };
});

/** What a trace opens with, once the code of its replay is loaded. */
export const openingOf = perTrace((_: Opened): Signal<ComponentType<{ page: Page }> | null> => signal(null));
