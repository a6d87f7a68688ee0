import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { createScope } from '../base/scope.ts';

interface Props {
  /** Called when files are dragged onto the window. */
  readonly onEnter: () => void;
  readonly onDrop: (data: DataTransfer) => void;
}

/** Accepts files dropped anywhere on the window, and shows an overlay while they are dragged over it. */
export function DropOverlay({ onEnter, onDrop }: Props) {
  const over = useSignal(false);
  useEffect(() => {
    const scope = createScope();
    // Enter and leave events come for each element on the way. Their balance says whether the files are over the
    // window.
    let depth = 0;
    scope.listen<DragEvent>(window, 'dragenter', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth += 1;
      over.value = true;
      onEnter();
    });
    scope.listen<DragEvent>(window, 'dragover', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
    });
    scope.listen<DragEvent>(window, 'dragleave', (event) => {
      if (!hasFiles(event)) return;
      depth = Math.max(0, depth - 1);
      over.value = depth > 0;
    });
    scope.listen<DragEvent>(window, 'drop', (event) => {
      depth = 0;
      over.value = false;
      if (!hasFiles(event)) return;
      event.preventDefault();
      if (event.dataTransfer) onDrop(event.dataTransfer);
    });
    return scope.dispose;
  }, [onEnter, onDrop, over]);
  if (!over.value) return null;
  return (
    <div class="drop">
      <p>Drop to open</p>
    </div>
  );
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false;
}
