import { useComputed } from '@preact/signals';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import './uncertain.css';

/** A line above figures that may not be those of the program: why, and how to add what may settle it. */
export function Uncertain({ open: { trace }, chooseFile }: { open: OpenTrace; chooseFile: () => void }) {
  // Progress changes all the time while a file is read.
  const sentence = useComputed(() => trace.progress.value.uncertainty?.sentence).value;
  const remedy = useComputed(() => trace.progress.value.uncertainty?.remedy).value;
  if (!sentence || trace.status.value.at !== 'ready') return null;
  const hasProgram = trace.companions.value.some(({ kind }) => kind === 'binary');
  return (
    <p class="uncertain" role="note">
      {sentence} {!hasProgram && remedy}{' '}
      {!hasProgram && (
        <button type="button" class="plain link" onClick={chooseFile}>
          Add the program
        </button>
      )}
    </p>
  );
}
