import { useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { createScope } from '../../base/scope.ts';
import { labelsOf } from '../chord.ts';
import { placeAt, useDismissal } from '../popover.tsx';
import type { MenuItem, MenuRequest } from './request.ts';
import './menu.css';

/** Until the menu is measured it is not seen, but has the focus, which a hidden element cannot have. */
const MEASURED = { left: '0', top: '0', opacity: '0' };
/** Milliseconds after which typed letters begin a new title. */
const TYPING_MS = 700;

interface Props {
  readonly request: MenuRequest;
  /** In groups, between which there are lines. */
  readonly groups: readonly (readonly MenuItem[])[];
  readonly run: (item: MenuItem) => void;
  readonly close: () => void;
}

/** A menu next to what it is about. It has the focus while it is open. */
export function Menu({ request, groups, run, close }: Props) {
  const { at, byKey, label, marked, button } = request;
  const box = useRef<HTMLDivElement>(null);
  const place = useSignal<ReturnType<typeof placeAt> | null>(null);
  const typed = useRef({ text: '', at: 0 });
  // A click on its button closes it, too: after the press of the pointer.
  const isInside = (target: EventTarget | null) =>
    target instanceof Node && Boolean(box.current?.contains(target) || button?.contains(target));
  useDismissal(true, isInside, close);
  const items = () => [...(box.current?.querySelectorAll<HTMLElement>('.menu-item') ?? [])];

  useLayoutEffect(() => {
    place.value = placeAt(at, box.current!.getBoundingClientRect());
  }, [request]);
  useEffect(() => {
    const element = box.current!;
    (byKey ? items()[0] : element)?.focus({ preventScroll: true });
    marked?.setAttribute('data-menu', '');
    const scope = createScope();
    scope.add(() => marked?.removeAttribute('data-menu'));
    scope.listen<FocusEvent>(element, 'focusout', ({ relatedTarget }) => {
      if (!isInside(relatedTarget)) close();
    });
    for (const type of ['resize', 'blur']) scope.listen(window, type, close);
    scope.listen<WheelEvent>(
      window,
      'wheel',
      ({ target }) => {
        if (!isInside(target)) close();
      },
      { capture: true, passive: true },
    );
    return scope.dispose;
  }, [request]);

  const onKey = (event: KeyboardEvent) => {
    // No key of an open menu is one of the page.
    event.stopPropagation();
    const all = items();
    const from = all.indexOf(document.activeElement as HTMLElement);
    const now = performance.now();
    // A space may be a part of what is typed.
    const fresh = now - typed.current.at > TYPING_MS;
    const to = {
      ArrowDown: (from + 1) % all.length,
      ArrowUp: from < 0 ? all.length - 1 : (from - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    }[event.key];
    if (to !== undefined) all[to]?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else if (from >= 0 && (event.key === 'Enter' || (event.key === ' ' && fresh))) all[from]!.click();
    else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const text = (fresh ? '' : typed.current.text) + event.key.toLowerCase();
      typed.current = { text, at: now };
      const first = fresh ? from + 1 : Math.max(0, from);
      const turned = [...all.slice(first), ...all.slice(0, first)];
      turned.find((item) => item.textContent?.toLowerCase().startsWith(text))?.focus();
    } else return;
    event.preventDefault();
  };
  return (
    <div
      ref={box}
      class="menu floating"
      role="menu"
      aria-label={label}
      tabIndex={-1}
      style={place.value ?? MEASURED}
      onKeyDown={onKey}
      onContextMenu={(event) => event.preventDefault()}
    >
      {groups.map((group, i) => (
        <Fragment key={group[0]!.id}>
          {/* biome-ignore lint/a11y/useSemanticElements: a thematic break has no place in a menu. */}
          {i > 0 && <div class="menu-line" role="separator" />}
          {group.map((item) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: it has the role of an entry.
            <div
              key={item.id}
              class="menu-item"
              {...roleOf(item)}
              tabIndex={-1}
              aria-keyshortcuts={item.chord && labelsOf(item.chord).join('+').replace('Ctrl', 'Control')}
              onClick={() => run(item)}
              onKeyDown={() => undefined}
              onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
            >
              <span>
                {item.checked !== undefined && (
                  <span class="menu-check" aria-hidden="true">
                    {item.checked ? '✓' : ''}
                  </span>
                )}
                {item.title}
              </span>
              {item.chord && (
                <span class="menu-keys" aria-hidden="true">
                  {labelsOf(item.chord).join('+')}
                </span>
              )}
            </div>
          ))}
        </Fragment>
      ))}
    </div>
  );
}

/** The role of an entry: one that switches something says whether it is on. */
function roleOf({ checked }: MenuItem) {
  return checked === undefined
    ? { role: 'menuitem' as const }
    : { role: 'menuitemcheckbox' as const, 'aria-checked': checked };
}
