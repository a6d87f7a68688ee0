import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { createScope } from '../../base/scope.ts';
import './more.css';

interface Props {
  /** What the menu lists: ids with their titles. */
  readonly items: readonly (readonly [id: string, title: string])[];
  readonly choose: (id: string) => void;
}

/** The menu of the panels that have no tab in sight. */
export function More({ items, choose }: Props) {
  const isOpen = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen.value) return;
    box.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
    const scope = createScope();
    const close = (event: Event) => {
      if (!(event.target instanceof Node && box.current?.parentElement?.contains(event.target))) isOpen.value = false;
    };
    scope.listen(window, 'pointerdown', close, { capture: true });
    scope.listen(window, 'focusin', close, { capture: true });
    return scope.dispose;
  }, [isOpen.value]);

  const onKey = (event: KeyboardEvent) => {
    // No key of an open menu is one of the page.
    event.stopPropagation();
    const all = [...(box.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = {
      ArrowDown: (at + 1) % all.length,
      ArrowUp: (at - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    }[event.key];
    if (to !== undefined) all[to]?.focus();
    else if (event.key === 'Enter' || event.key === ' ') all[at]?.click();
    else if (event.key === 'Escape' || event.key === 'Tab') {
      isOpen.value = false;
      button.current?.focus();
      if (event.key === 'Tab') return;
    } else return;
    event.preventDefault();
  };
  return (
    <div class="more-panels">
      <button
        ref={button}
        type="button"
        class="plain tab"
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        More <span aria-hidden="true">▾</span>
      </button>
      {isOpen.value && (
        <div ref={box} class="more-menu" role="menu" aria-label="More panels" tabIndex={-1} onKeyDown={onKey}>
          {items.map(([id, title]) => (
            <div
              key={id}
              class="more-item"
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                isOpen.value = false;
                choose(id);
              }}
              onKeyDown={() => undefined}
              onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
            >
              {title}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
