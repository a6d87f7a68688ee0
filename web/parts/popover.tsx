import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { createScope } from '../base/scope.ts';
import './popover.css';

/** CSS pixels between a box and the edges of the window. */
const MARGIN = 6;
/** What is open, the newest last. */
const opened: object[] = [];

/**
 * Calls `close` when the pointer is pressed outside of what is open, and with `byKey` at an Escape that nothing in it has handled.
 * Of several, Escape closes the newest, and nothing else of the page hears it.
 */
export function useDismissal(
  isOpen: boolean,
  isInside: (target: Element) => boolean,
  close: (byKey: boolean) => void,
): void {
  const now = useRef({ isInside, close });
  now.current = { isInside, close };
  // Before the next key, which may come at once.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const own = {};
    opened.push(own);
    const scope = createScope();
    scope.add(() => opened.splice(opened.indexOf(own), 1));
    const onPointer = ({ target }: PointerEvent) => {
      if (!(target instanceof Element && now.current.isInside(target))) now.current.close(false);
    };
    scope.listen(window, 'pointerdown', onPointer, { capture: true });
    // Before the commands of the page, which listen to the window.
    scope.listen<KeyboardEvent>(document, 'keydown', (event) => {
      if (event.key !== 'Escape' || opened.at(-1) !== own) return;
      event.preventDefault();
      event.stopPropagation();
      now.current.close(true);
    });
    return scope.dispose;
  }, [isOpen]);
}

/** The edges of what a box is next to, in CSS pixels of the window. */
export interface Anchor {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The edges of an element with a gap above and below it. */
export function anchorOf(element: Element, gap: number): Anchor {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return { left, right, top: top - gap, bottom: bottom + gap };
}

/** The place of a box of this size below an anchor, or towards the other side where it does not fit. It ends in the window. */
export function placeAt(
  { left, right, top, bottom }: Anchor,
  { width, height }: { readonly width: number; readonly height: number },
): { readonly left: string; readonly top: string } {
  const x = left + width + MARGIN > innerWidth ? right - width : left;
  const y = bottom + height + MARGIN > innerHeight ? top - height : bottom;
  const within = (at: number, most: number) => `${Math.max(MARGIN, Math.min(at, most - MARGIN))}px`;
  return { left: within(x, innerWidth - width), top: within(y, innerHeight - height) };
}

interface ButtonProps {
  /** Classes of what contains the button and the popover, and of the button. */
  readonly place: string;
  readonly look: string;
  readonly label?: string;
  readonly title?: string;
  /** Whether it is open, if that outlives the button. */
  readonly shown?: Signal<boolean>;
  /** The user opens it. */
  readonly onOpen?: () => void;
  /** What is shown next to the button while it is open. */
  readonly content: (close: () => void) => ComponentChildren;
  readonly children: ComponentChildren;
}

/** A button with a popover, which a press of the pointer elsewhere or Escape closes. */
export function PopoverButton(props: ButtonProps) {
  const { place, look, label, title, onOpen, content, children } = props;
  const own = useSignal(false);
  const shown = props.shown ?? own;
  const root = useRef<HTMLSpanElement>(null);
  const isInside = (target: Element | null) => root.current?.contains(target) ?? false;
  const close = () => {
    shown.value = false;
  };
  useDismissal(shown.value, isInside, close);
  return (
    <span class={place} ref={root}>
      <button
        type="button"
        class={look}
        aria-expanded={shown.value}
        aria-label={label}
        title={title}
        onClick={() => {
          shown.value = !shown.peek();
          if (shown.peek()) onOpen?.();
        }}
      >
        {children}
      </button>
      {shown.value && content(close)}
    </span>
  );
}

interface Props {
  readonly label: string;
  /** Its size and what it holds are styled by this. */
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** What a {@link PopoverButton} shows, as a dialog. */
export function Popover({ label, class: name = '', children }: Props) {
  return (
    <section class={`popover floating ${name}`} role="dialog" aria-label={label} ref={keepInWindow}>
      {children}
    </section>
  );
}

/** Moves what begins below its button so far to the left that it ends in the window. */
function keepInWindow(popover: HTMLElement | null): void {
  if (!popover) return;
  const beyond = popover.getBoundingClientRect().right - (innerWidth - MARGIN);
  if (beyond > 0) popover.style.marginLeft = `${-beyond}px`;
}
