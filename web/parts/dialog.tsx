import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import './dialog.css';

interface Props {
  /** Its size and what it holds are styled by this. */
  readonly class: string;
  /** The id of its heading. */
  readonly title: string;
  /** The user closes it: by Escape, or by a click beside it. */
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog over the page, for as long as it is mounted. */
export function Dialog({ class: name, title, close, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class={`sheet ${name}`}
      aria-labelledby={title}
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
      onKeyDown={(event) => event.key === 'Escape' && event.stopPropagation()}
    >
      {children}
    </dialog>
  );
}
