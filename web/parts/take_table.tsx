import { useSignal } from '@preact/signals';
import { formatCount } from '../base/format.ts';
import { saveBlob } from '../trace/save_blob.ts';
import { csvRow } from './csv.ts';
import { useMenu } from './menu/request.ts';
import { anchorOf } from './popover.tsx';
import './take_table.css';

/** Most rows that are copied, and that are saved. */
const MOST_COPIED = 50_000;
const MOST_SAVED = 1_000_000;
const TITLE = 'Copy or save the table';
/** How long the confirmation shows. */
const TOLD_MS = 2000;

/** Rows that are fetched at once. */
const PORTION = 4096;

/** Rows that are fetched in portions, until there are none. */
export async function* inPortions<Row>(
  fetch: (first: number, count: number) => Promise<readonly Row[] | null>,
  texts: (row: Row, number: number) => readonly string[],
): AsyncIterable<readonly (readonly string[])[]> {
  for (let from = 0; ; ) {
    const portion = await fetch(from, PORTION);
    if (!portion || portion.length === 0) return;
    const first = from;
    yield portion.map((row, i) => texts(row, first + i));
    from += portion.length;
  }
}

/** Rows that are all there. */
export async function* atOnce<Row>(
  rows: readonly Row[],
  texts: (row: Row, number: number) => readonly string[],
): AsyncIterable<readonly (readonly string[])[]> {
  yield rows.map(texts);
}

interface Props {
  /** Name of the file, without its ending. */
  readonly name: string;
  readonly head: readonly string[];
  /** The rows in portions, from the first one on. */
  readonly rows: () => AsyncIterable<readonly (readonly string[])[]>;
}

/** Offers to copy a table as comma-separated values, or to save it. Long tables are cut, with a note. */
export function TakeTable({ name, head, rows }: Props) {
  const told = useSignal('');
  const busy = useSignal(false);
  const show = useMenu();
  const tell = (sentence: string) => {
    told.value = sentence;
    setTimeout(() => {
      if (told.peek() === sentence) told.value = '';
    }, TOLD_MS);
  };
  const collect = async (most: number): Promise<{ readonly text: string; readonly count: number; cut: boolean }> => {
    const parts = [csvRow(head)];
    let count = 0;
    for await (const portion of rows()) {
      const taken = portion.slice(0, most - count);
      parts.push(taken.map(csvRow).join(''));
      count += taken.length;
      if (taken.length < portion.length) return { text: parts.join(''), count, cut: true };
    }
    return { text: parts.join(''), count, cut: false };
  };
  const take = async (most: number, put: (text: string) => Promise<void>, done: string) => {
    busy.value = true;
    try {
      const { text, count, cut } = await collect(most);
      await put(text);
      tell(`${cut ? 'The first ' : ''}${formatCount(count)} rows ${done}`);
    } catch {
      tell('The browser denied access');
    }
    busy.value = false;
  };
  const save = async (text: string) => {
    saveBlob(new Blob([text], { type: 'text/csv' }), `${name}.csv`);
  };
  const offer = ({ currentTarget, detail }: MouseEvent) => {
    const button = currentTarget as HTMLElement;
    show({
      label: TITLE,
      menu: 'table',
      at: anchorOf(button, 2),
      // A click by key has no count.
      byKey: detail === 0,
      button,
      table: {
        copy: () => void take(MOST_COPIED, (text) => navigator.clipboard.writeText(text), 'copied'),
        save: () => void take(MOST_SAVED, save, 'saved'),
      },
    });
  };
  return (
    <span class="take-table">
      <span class="muted" role="status">
        {told.value}
      </span>
      <button
        type="button"
        class="plain icon"
        disabled={busy.value}
        aria-label={TITLE}
        title={TITLE}
        aria-haspopup="menu"
        onClick={offer}
      >
        <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
          <path d="M7 1v8M3.5 6L7 9.5 10.5 6M1.5 12.5h11" fill="none" stroke="currentColor" stroke-width="1.4" />
        </svg>
      </button>
    </span>
  );
}
