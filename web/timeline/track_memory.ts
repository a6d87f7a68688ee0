import type { Signal } from '@preact/signals';
import { createScope, type Dispose } from '../base/scope.ts';
import { watch } from '../base/watch.ts';
import type { FileMemory } from '../trace/file_memory.ts';
import { NO_CHOICES, readChoices, type TrackChoices } from './track_choices.ts';

/**
 * Remembers what the user has chosen about the tracks of a file, and chooses that again when it is known. What was chosen before
 * then counts more. Deleting what is stored leaves the screen as it is.
 */
export function rememberTracks(memory: Pick<FileMemory, 'parts' | 'put'>, choices: Signal<TrackChoices>): Dispose {
  const scope = createScope();
  /** What both sides have, as JSON; null until it is known what is stored. */
  let known: string | null = null;
  const put = () => {
    const now = choices.peek();
    const text = JSON.stringify(now);
    if (known === null || text === known) return;
    known = text;
    memory.put('tracks', text === JSON.stringify(NO_CHOICES) ? undefined : now);
  };
  scope.add(
    watch([memory.parts], () => {
      const parts = memory.parts.peek();
      if (!parts) return;
      const isFirst = known === null;
      const stored = readChoices(parts.tracks);
      const text = JSON.stringify(stored);
      if (text === known) return;
      known = text;
      if (isFirst && choices.peek() !== NO_CHOICES) put();
      else if (parts.tracks !== undefined) choices.value = stored;
    }),
  );
  scope.add(watch([choices], put));
  return scope.dispose;
}
