import type { Signal } from '@preact/signals';
import type { ComponentChildren, TargetedMouseEvent, TargetedPointerEvent } from 'preact';
import { useRef } from 'preact/hooks';
import { type ColumnChoices, isDefault, NO_CHOICES, ordered, withMoved, withToggled, withWidth } from './columns.ts';
import { atPoint, isByKey, type MenuItem, useMenu } from './menu/request.ts';
import { anchorOf } from './popover.tsx';
import './column_head.css';

/** How the rows are sorted by a column: not, or with the lowest or the highest value first. */
export type Sorted = 'none' | 'ascending' | 'descending';

/** CSS pixels that the pointer moves before a press becomes a drag, and by which a key changes a width. */
const SLACK = 5;
const STEP = 16;

/** The columns of a table, as their heads change them. */
export interface ColumnSet {
  /** Ids and titles of all columns, in the order of the table. */
  readonly all: readonly { readonly id: string; readonly title: string }[];
  /** Ids of those that are shown, in their order. */
  readonly shown: readonly string[];
  readonly choices: ColumnChoices;
  /** Shows choices. They last if `isFinal`: until then the pointer is still down. */
  readonly set: (choices: ColumnChoices, isFinal: boolean) => void;
  /** The id of the head that the tab key reaches. */
  readonly reached: Signal<string>;
  /** The column that is dragged, and the one whose place it would take. */
  readonly drag: Signal<{ readonly id: string; readonly to: string } | null>;
}

interface Props {
  readonly id: string;
  readonly title: ComponentChildren;
  /** What the column shows. */
  readonly says?: string | undefined;
  readonly class?: string | undefined;
  readonly sorted: Sorted;
  /** Sorts by the column; left out for a column that nothing is sorted by. */
  readonly sort?: (() => void) | undefined;
  /** The rows are a tree, which has no heads: a button says what sorts it. */
  readonly isPlain?: boolean;
  readonly set: ColumnSet;
}

/**
 * The head of a column. A click sorts the table by it, a drag moves the column, its right edge resizes it, and its menu hides it and
 * shows others. Arrow keys go from head to head; with Shift they resize, with Ctrl they move the column.
 */
export function ColumnHead({ id, title, says, class: name, sorted, sort, isPlain = false, set }: Props) {
  const show = useMenu();
  const head = useRef<HTMLTableCellElement>(null);
  /** The press on the button was a drag, and what follows is not a click. */
  const dragged = useRef(false);
  const { shown, choices, drag, reached } = set;
  const ids = set.all.map((column) => column.id);
  const at = shown.indexOf(id);
  const change = (next: ColumnChoices) => set.set(next, true);
  const moveBy = (by: -1 | 1) => {
    const to = shown[at + by];
    if (to !== undefined) change(withMoved(ids, choices, id, to));
  };
  const resizeTo = (width: number, isFinal = true, now = widthsNow(head.current, shown)) =>
    set.set(withWidth(choices, now, id, width), isFinal);
  const resizeBy = (by: number) => resizeTo((head.current?.offsetWidth ?? 0) + by);
  const fit = () => resizeTo(widestIn(head.current, at));

  const items = (): readonly MenuItem[] => {
    const own = (item: Omit<MenuItem, 'id'>): MenuItem => ({ id: item.title, ...item });
    const first: MenuItem[] = [];
    if (shown.length > 1) first.push(own({ title: 'Hide column', run: () => change(withToggled(choices, id)) }));
    if (at > 0) first.push(own({ title: 'Move left', chord: 'ctrl arrowleft', run: () => moveBy(-1) }));
    if (at < shown.length - 1) first.push(own({ title: 'Move right', chord: 'ctrl arrowright', run: () => moveBy(1) }));
    first.push(
      own({ title: 'Fit to content', run: fit }),
      own({ title: 'Wider', chord: 'shift arrowright', run: () => resizeBy(STEP) }),
      own({ title: 'Narrower', chord: 'shift arrowleft', run: () => resizeBy(-STEP) }),
    );
    const titles = new Map(set.all.map((column) => [column.id, column.title]));
    const switches = ordered(ids, choices).map(
      (other, i): MenuItem => ({
        id: `column ${other}`,
        title: titles.get(other) || '(no title)',
        checked: shown.includes(other),
        begins: i === 0,
        run: () => {
          // One column must stay.
          if (shown.length > 1 || !shown.includes(other)) change(withToggled(choices, other));
        },
      }),
    );
    const reset = { id: 'reset', title: 'Reset columns', begins: true, run: () => change(NO_CHOICES) };
    return [...first, ...switches, ...(isDefault(choices) ? [] : [reset])];
  };
  const openMenu = (event: MouseEvent | null) => {
    const element = head.current;
    if (!element) return;
    const byKey = event === null || isByKey(event);
    const shows = show({
      label: `Column ${textOf(set, id)}`,
      at: byKey ? anchorOf(element, 0) : atPoint(event.clientX, event.clientY),
      byKey,
      items: items(),
      marked: element,
    });
    if (!shows) return;
    event?.preventDefault();
    event?.stopPropagation();
  };

  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key] as -1 | 1 | undefined;
    if (by === undefined || event.altKey) return;
    if (event.shiftKey) resizeBy(by * STEP);
    else if (event.ctrlKey || event.metaKey) moveBy(by);
    else {
      const next = shown[at + by];
      if (next === undefined) return;
      reached.value = next;
      head.current?.parentElement?.querySelectorAll<HTMLElement>('th > button')[at + by]?.focus();
    }
    event.preventDefault();
    event.stopPropagation();
  };
  /** A press on the head is a click, or begins a drag of the column. */
  const onPress = (event: TargetedPointerEvent<HTMLElement>) => {
    dragged.current = false;
    if (event.button !== 0 || event.pointerType === 'touch') return;
    const { pointerId, clientX, currentTarget } = event;
    const heads = [...(head.current?.parentElement?.children ?? [])];
    const move = (moved: PointerEvent) => {
      if (moved.pointerId !== pointerId) return;
      if (!drag.peek() && Math.abs(moved.clientX - clientX) < SLACK) return;
      dragged.current = true;
      const over = heads.findIndex((other) => moved.clientX < other.getBoundingClientRect().right);
      drag.value = { id, to: shown[over < 0 ? shown.length - 1 : Math.min(over, shown.length - 1)]! };
    };
    const end = (ended: PointerEvent) => {
      if (ended.pointerId !== pointerId) return;
      for (const type of ['pointermove', 'pointerup', 'pointercancel'] as const)
        currentTarget.removeEventListener(type, type === 'pointermove' ? move : end);
      const to = drag.peek()?.to;
      drag.value = null;
      if (to !== undefined && to !== id && ended.type === 'pointerup') change(withMoved(ids, choices, id, to));
    };
    currentTarget.setPointerCapture?.(pointerId);
    currentTarget.addEventListener('pointermove', move);
    currentTarget.addEventListener('pointerup', end);
    currentTarget.addEventListener('pointercancel', end);
  };
  /** A press on the edge resizes the column. */
  const onEdge = (event: TargetedPointerEvent<HTMLElement>) => {
    event.stopPropagation();
    if (event.button !== 0) return;
    const { pointerId, clientX, currentTarget } = event;
    const now = widthsNow(head.current, shown);
    const from = now[id] ?? 0;
    const move = (moved: PointerEvent) => resizeTo(from + moved.clientX - clientX, false, now);
    const end = (ended: PointerEvent) => {
      currentTarget.removeEventListener('pointermove', move);
      currentTarget.removeEventListener('pointerup', end);
      currentTarget.removeEventListener('pointercancel', end);
      if (ended.clientX !== clientX) resizeTo(from + ended.clientX - clientX, true, now);
    };
    currentTarget.setPointerCapture?.(pointerId);
    currentTarget.addEventListener('pointermove', move);
    currentTarget.addEventListener('pointerup', end);
    currentTarget.addEventListener('pointercancel', end);
  };
  const dragging = drag.value;
  const side = dragging && shown.indexOf(dragging.id) < at ? 'drop-after' : 'drop-before';
  const drops = dragging && dragging.to === id && dragging.id !== id ? side : '';
  return (
    <th
      ref={head}
      scope={isPlain ? undefined : 'col'}
      class={[name, drops].filter(Boolean).join(' ')}
      title={says}
      aria-sort={sort && !isPlain ? sorted : undefined}
      onContextMenu={openMenu}
    >
      <button
        type="button"
        class="plain"
        tabIndex={reached.value === id || (at === 0 && !shown.includes(reached.value)) ? 0 : -1}
        aria-pressed={isPlain && sort ? sorted !== 'none' : undefined}
        aria-haspopup={sort ? undefined : 'menu'}
        onFocus={() => {
          reached.value = id;
        }}
        onPointerDown={onPress}
        onKeyDown={onKey}
        onClick={(event: TargetedMouseEvent<HTMLElement>) => {
          if (dragged.current) dragged.current = false;
          else if (sort) sort();
          // By key, which cannot ask for the menu otherwise on some keyboards.
          else if (event.detail === 0) openMenu(null);
        }}
      >
        {title}
        <span class="sort" aria-hidden="true">
          {sorted === 'none' ? '' : sorted === 'descending' ? '▾' : '▴'}
        </span>
      </button>
      <span class="column-edge" aria-hidden="true" onPointerDown={onEdge} onDblClick={fit} />
    </th>
  );
}

/** For a column that the rows are sorted by, or not. */
export function sortedIf(isSorted: boolean, descending: boolean): Sorted {
  if (!isSorted) return 'none';
  return descending ? 'descending' : 'ascending';
}

function textOf({ all }: ColumnSet, id: string): string {
  return all.find((column) => column.id === id)?.title ?? id;
}

/** The widths of the columns on the screen, in CSS pixels by id. */
function widthsNow(head: HTMLElement | null, shown: readonly string[]): Readonly<Record<string, number>> {
  const heads = [...(head?.parentElement?.children ?? [])] as HTMLElement[];
  return Object.fromEntries(shown.map((id, i) => [id, heads[i]?.offsetWidth ?? 0]));
}

/** CSS pixels that the widest content of a column on the screen needs. */
function widestIn(head: HTMLElement | null, at: number): number {
  const rows = head?.closest('table')?.querySelectorAll('tr') ?? [];
  const range = document.createRange();
  const widths = [...rows].map(({ children }) => {
    const cell = children[at];
    if (!cell || (cell as HTMLTableCellElement).colSpan > 1) return 0;
    range.selectNodeContents(
      cell.querySelector('button.plain') && cell.tagName === 'TH' ? cell.querySelector('button')! : cell,
    );
    return range.getBoundingClientRect().width;
  });
  return Math.max(...widths) + CELL_PADDING;
}

/** CSS pixels on both sides of the content of a cell, as in the style sheet. */
const CELL_PADDING = 18;
