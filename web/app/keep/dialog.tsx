import { useSignalEffect } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { formatBytes, formatCounted, shortened } from '../../base/format.ts';
import { startWorker } from '../../base/workers.ts';
import type { DialogProps } from '../../page/page.ts';
import { Dialog } from '../../parts/dialog.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { createKeep, type Room } from './keep.ts';
import copyWorker from './worker/copy.ts?worker&url';
import './keep.css';

interface Props extends DialogProps {
  readonly open: OpenTrace;
}

const ROOM: Room = {
  spawn: () => startWorker(copyWorker),
  left: async () => {
    const { quota, usage } = await navigator.storage.estimate();
    return quota === undefined || usage === undefined ? null : Math.max(0, quota - usage);
  },
  newId: () => crypto.randomUUID(),
};

/** Asks whether to keep a copy of the open file in this browser, and makes it. */
export function KeepDialog({ page, close }: DialogProps) {
  const bench = page.workbench.bench.value;
  return bench.at === 'open' ? <Keep key={bench.open.id} page={page} open={bench.open} close={close} /> : null;
}

function Keep({ page, open, close }: Props) {
  const { workbench, copies } = page;
  const { trace, file } = open;
  const companions = trace.companions.peek();
  const keep = useMemo(
    () =>
      createKeep(
        {
          name: trace.name,
          format: trace.info.peek()?.title ?? '',
          files: [{ name: trace.name, file }, ...companions.map(({ name, file }) => ({ name, file }))],
        },
        copies,
        ROOM,
      ),
    [open],
  );
  useEffect(
    () => () => {
      if (keep.state.peek().at === 'writing') keep.cancel();
    },
    [keep],
  );
  const size = formatBytes(keep.bytes);
  const name = shortened(trace.name);
  useSignalEffect(() => {
    if (keep.state.value.at !== 'kept') return;
    workbench.tell(`A copy of ${name} (${size}) is kept in this browser. The first page lists and deletes it.`);
    close();
  });
  const state = keep.state.value;
  const isWriting = state.at === 'writing';
  return (
    <Dialog class="keep" title="keep-title" close={close}>
      <div class="keep-inner column">
        <h2 id="keep-title">Keep a copy of {name}?</h2>
        <p>
          The copy takes {size} in this browser
          {companions.length > 0 &&
            `, with ${formatCounted(companions.length, 'file')} that ${adds(companions.length)} to it`}
          . The trace then comes back when the page is loaded again.
        </p>
        <p class="muted">Other pages of {location.host} can read it. The browser may delete it when space is short.</p>
        {isWriting && (
          <div class="keep-progress row" role="status">
            <progress max={Math.max(1, keep.bytes)} value={state.bytes} aria-label="Progress of the copy" />
            <span class="muted">
              {formatBytes(state.bytes)} of {size}
            </span>
          </div>
        )}
        {state.at === 'failed' && (
          <p class="warning-text" role="alert">
            {state.sentence}
          </p>
        )}
        <div class="keep-actions row">
          <button type="button" class="primary" disabled={isWriting} onClick={() => void keep.start()}>
            Keep a copy
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function adds(files: number): string {
  return files === 1 ? 'adds' : 'add';
}
