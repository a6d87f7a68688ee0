import { useSignal } from '@preact/signals';
import { csvRow } from '../../base/csv.ts';
import { formatCount } from '../../base/format.ts';

/** Most rows that are copied, and that are saved. */
const MOST_COPIED = 50_000;
const MOST_SAVED = 1_000_000;
/** How long the confirmation shows. */
const TOLD_MS = 2000;

interface Props {
  /** Name of the file, without its ending. */
  readonly name: string;
  readonly head: readonly string[];
  /** The rows in portions, from the first one on. */
  readonly rows: () => AsyncIterable<readonly (readonly string[])[]>;
}

/** Copies a table, or saves it as CSV. Long tables are cut, which is told. */
export function TakeTable({ name, head, rows }: Props) {
  const told = useSignal('');
  const busy = useSignal(false);
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
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
    link.download = `${name}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <span class="panel-end take-table">
      <span class="muted" role="status">
        {told.value}
      </span>
      <button
        type="button"
        class="plain"
        disabled={busy.value}
        title="Copy the table as comma-separated values"
        onClick={() => void take(MOST_COPIED, (text) => navigator.clipboard.writeText(text), 'copied')}
      >
        Copy
      </button>
      <button
        type="button"
        class="plain"
        disabled={busy.value}
        title="Save the table as comma-separated values"
        onClick={() => void take(MOST_SAVED, save, 'saved')}
      >
        CSV
      </button>
    </span>
  );
}
