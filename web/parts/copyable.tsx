import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import './copyable.css';

/** How long the confirmation shows. */
const COPIED_MS = 1200;

interface CopyableProps {
  /** The text that a click copies. */
  readonly text: string;
  readonly mono?: boolean;
  readonly muted?: boolean;
  readonly children: ComponentChildren;
}

/**
 * A value that a click copies. A click that selects part of its text does not copy. The list that it is in leads the focus to
 * it.
 */
export function Copyable({ text, mono = false, muted = false, children }: CopyableProps) {
  const copied = useSignal(false);
  useEffect(() => {
    if (!copied.value) return;
    const timer = setTimeout(() => (copied.value = false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied.value, copied]);
  const copy = async () => {
    if (getSelection()?.toString()) return;
    try {
      await navigator.clipboard.writeText(text);
      copied.value = true;
    } catch {
      // The browser denied access to the clipboard. The text can still be selected.
    }
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: text inside a button cannot be selected.
    <span
      class={`copyable${mono ? ' mono' : ''}${muted ? ' muted' : ''}`}
      role="button"
      tabIndex={-1}
      title="Click to copy"
      onClick={() => void copy()}
      onKeyDown={(event) => {
        if (event.key === 'Enter') void copy();
      }}
    >
      {children}
      {copied.value && (
        <span class="copied" role="status">
          copied
        </span>
      )}
    </span>
  );
}
