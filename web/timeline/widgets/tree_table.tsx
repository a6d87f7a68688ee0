import { type ReadonlySignal, useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { formatCount, shortened, titled } from '../../base/format.ts';
import { useLongList } from '../../parts/long_list.ts';
import type { RowSubject } from '../../parts/menu/row_menu.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { closedSiblings, type TreeRow, treeMove, typedRow } from '../../trace/call_tree.ts';
import type { Names } from '../../trace/names.ts';
import type { TreeModel } from '../../trace/tree_model.ts';
import './tree_table.css';

/** CSS pixels that a level is indented, and the deepest level that is. */
const INDENT = 14;
const DEEPEST = 24;
/** Milliseconds after which typed letters begin a new name. */
const TYPING_MS = 700;

interface Props {
  readonly label: string;
  /** The beginning of the ids of rows. */
  readonly id: string;
  readonly tree: TreeModel;
  readonly rows: ReadonlySignal<readonly TreeRow[]>;
  readonly names: Pick<Names, 'of' | 'shown'>;
  /** The name of a row. */
  readonly nameAt: (row: Pick<TreeRow, 'index'>) => number;
  /** The colour of a name, if it has one. */
  readonly swatch?: (name: number) => string | undefined;
  /** All that narrows its rows besides its direction: see {@link Table}. */
  readonly narrowedBy: readonly unknown[];
  /** The columns besides that of names. */
  readonly figures: readonly Column<TreeRow>[];
  /** CSS width that the columns need at least. */
  readonly minWidth?: string;
  /** A name was chosen, and acted on. */
  readonly choose: (name: number) => void;
  readonly act: (name: number) => void;
  /** What the menu of a row is about. */
  readonly menu?: (name: number) => RowSubject;
  readonly empty: string | undefined;
  /** What comes after the rows. */
  readonly children?: ComponentChildren;
}

/** A call tree: a table whose rows open and close. Left and right arrows do that, `*` opens more, letters go to a name. */
export function TreeTable({ label, id, tree, rows: all, names, nameAt, swatch, figures, ...rest }: Props) {
  const { minWidth, narrowedBy, choose, act, menu, empty, children } = rest;
  const rows = all.value;
  const list = useLongList(rows.length);
  const typed = useRef({ text: '', at: 0 });
  const current = useComputed(() => all.value.findIndex(({ key }) => key === tree.row.value)).value;
  useEffect(() => {
    if (current < 0 || !tree.sought.peek()) return;
    tree.sought.value = false;
    list.go(current);
  }, [current]);
  const go = (to: number) => {
    const row = rows[to];
    if (!row) return;
    tree.row.value = row.key;
    choose(nameAt(row));
    list.go(to);
  };
  const toggle = (row: TreeRow) => {
    if (row.state === 'closed') tree.open(row.key);
    else if (row.state === 'open') tree.close(row.key);
  };
  /** Opens all siblings of the current row; everything below them if they are open. */
  const openMore = () => {
    const row = rows[current];
    const closed = closedSiblings(rows, row?.key ?? rows[0]?.key ?? '');
    if (closed.length > 0) tree.openAll(closed);
    else tree.openEverything(row?.key ?? '');
  };
  const type = (letter: string) => {
    const now = performance.now();
    const { text, at } = typed.current;
    const fresh = now - at > TYPING_MS;
    const next = fresh ? letter : text + letter;
    typed.current = { text: next, at: now };
    // The first letter goes on to the next row, further letters may keep the row.
    const found = typedRow(rows, current + (fresh || current < 0 ? 1 : 0), next, (i) =>
      names.shown(nameAt({ index: i })),
    );
    if (found >= 0) go(found);
  };
  const onKey = ({ key }: KeyboardEvent) => {
    const row = rows[current];
    const move = treeMove(rows, current, key);
    if (move?.to === 'row') go(move.row);
    else if (move?.to === 'open') tree.open(move.key);
    else if (move?.to === 'close') tree.close(move.key);
    else if (key === '*') openMore();
    else if (key === ' ' && row) toggle(row);
    else if (/^[\p{L}\p{N}_#$@~<:]$/u.test(key)) type(key);
    // An arrow at the end of the tree moves nothing else.
    else return key === 'ArrowLeft' || key === 'ArrowRight';
    return true;
  };
  const sort = tree.sort.value;
  const nameColumn: Column<TreeRow> = {
    title: 'Function',
    says: 'Name of the function',
    class: 'words',
    key: 'name',
    cell: (row) => {
      const name = nameAt(row);
      return (
        <span class="tree-name mono" style={{ paddingLeft: `${Math.min(row.level - 1, DEEPEST) * INDENT}px` }}>
          <span class={`twisty rigid ${row.state}`} aria-hidden="true" />
          {swatch && <span class="swatch" style={{ background: swatch(name) ?? '' }} />}
          <span class="text" title={titled(names.of(name))}>
            {row.level > DEEPEST + 1 && <span class="muted">{`${formatCount(row.level)} deep · `}</span>}
            {shortened(names.shown(name))}
          </span>
        </span>
      );
    },
  };
  const isTwisty = ({ target }: MouseEvent) => target instanceof Element && target.closest('.twisty') !== null;
  return (
    <Table
      class="tree"
      label={label}
      id={id}
      minWidth={minWidth}
      count={rows.length}
      row={(number) => rows[number] ?? null}
      columns={[nameColumn, ...figures]}
      by={sort.by}
      descending={sort.descending}
      narrowedBy={[tree.inverted.value, ...narrowedBy]}
      sortBy={(by) => {
        tree.sort.value = { by, descending: sort.by === by ? !sort.descending : by !== 'name' };
      }}
      current={current}
      choose={go}
      click={(number, event) => {
        go(number);
        if (isTwisty(event)) toggle(rows[number]!);
      }}
      act={(number) => act(nameAt(rows[number]!))}
      double={(number, event) => {
        if (!isTwisty(event)) toggle(rows[number]!);
      }}
      onKey={onKey}
      {...(menu ? { menu: (row: TreeRow) => menu(nameAt(row)) } : {})}
      level={({ level, position, siblings, state }) => ({
        level,
        position,
        siblings,
        isOpen: state === 'leaf' ? null : state === 'open',
      })}
      list={list}
      empty={empty}
    >
      {children}
    </Table>
  );
}
