import { useSignal } from '@preact/signals';
import { formatBytes, formatOffset, formatPercent, formatPosition } from '../../base/format.ts';
import { startWorker } from '../../base/workers.ts';
import { createExports, ownFormat, unpackedName } from '../../features/export/export.ts';
import cutWorker from '../../features/export/worker/cut.ts?worker&url';
import type { HeaderMenuProps } from '../../page/menu_button.tsx';
import { Popover } from '../../parts/popover.tsx';
import { partRead, partWanted } from '../../timeline/part.ts';
import { type Opened, perTrace } from '../../trace/per_trace.ts';
import { blobSink } from '../../trace/save_file.ts';
import './part_menu.css';

/** Parts are written while the menu is closed, too. */
const exportsOf = perTrace(({ trace, scope }: Opened) => {
  const exports = createExports(trace, () => startWorker(cutWorker));
  scope.add(exports.cancel);
  return exports;
});

/** What was left out of a file that was read in part, and ways to see it. */
export function PartMenu({ open, page }: HeaderMenuProps) {
  const { trace } = open;
  const part = partRead(trace);
  if (!part) return null;
  const { bytes, bytesRead } = trace.progress.value;
  return (
    <Popover class="part-popover" label="The rest of the file">
      <p class="problem-title">{part.why}</p>
      <p class="muted">
        {formatBytes(bytesRead)} of {formatBytes(bytes)} were read
        {part.at?.offset != null && `, to ${formatOffset(part.at.offset, trace.info.value?.placeNoun)}`}.
      </p>
      {trace.canGoOn.value && (
        <p class="part-line row wrap">
          <button type="button" onClick={page.workbench.goOn}>
            Go on
          </button>
          <span>without the limit, as far as memory lasts.</span>
        </p>
      )}
      <PartForm open={open} page={page} />
      <p>
        The native command can use most of the computer’s memory: <code>unspool stats</code>, <code>find</code> and{' '}
        <code>sql</code> read larger files, and <code>cut</code> saves a part of one.
      </p>
    </Popover>
  );
}

/** Opens a part of the file. Renders nothing for formats of which no parts can be written. */
function PartForm({ open, page }: Pick<HeaderMenuProps, 'open' | 'page'>) {
  const { trace } = open;
  const from = useSignal<string | null>(null);
  const to = useSignal('');
  const wrong = useSignal('');
  const exports = exportsOf(open);
  const info = trace.info.value;
  const { extent, bytes, bytesRead } = trace.progress.value;
  // Of a packed file, only what was unpacked is there.
  const isWhole = trace.content.value?.size === bytes && bytesRead < bytes;
  if (!info?.offers.includes('stretches') || !extent || !isWhole) return null;
  const { clock } = info;
  const end = formatPosition(extent.to, extent.from, clock);
  const state = exports.state.value;
  const start = () => {
    const wanted = partWanted(from.peek() ?? end, to.peek(), extent, clock);
    wrong.value = typeof wanted === 'string' ? wanted : '';
    if (typeof wanted === 'string') return;
    const name = unpackedName(trace.name);
    const { ending, ...format } = ownFormat(info.title, name);
    const partName = `${name.slice(0, name.length - ending.length)} from ${from.peek() ?? end}${ending}`;
    const opened = blobSink((blob) => page.workbench.openPart(blob, partName));
    void exports.run({ ...format, ending }, { range: wanted, track: null }, partName, async () => opened);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        start();
      }}
    >
      <p class="part-line row wrap">
        <label>
          From <input value={from.value ?? end} onInput={({ currentTarget }) => (from.value = currentTarget.value)} />
        </label>
        <label>
          to{' '}
          <input
            value={to.value}
            placeholder="the end"
            onInput={({ currentTarget }) => (to.value = currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={state.at === 'running'}>
          Open this part
        </button>
      </p>
      {state.at === 'running' && (
        <p class="part-line row wrap">
          <progress max={1} value={state.share} aria-label="Progress of the part" />
          <span class="muted">{formatPercent(Math.round(state.share * 1000), 1000)}</span>
          <button type="button" onClick={exports.cancel}>
            Cancel
          </button>
        </p>
      )}
      {(wrong.value !== '' || state.at === 'failed') && (
        <p class="warning-text" role="alert">
          {wrong.value || (state.at === 'failed' && state.sentence)}
        </p>
      )}
      <p class="muted">
        The part replaces this trace. Calls that began before it{' '}
        {info.offers.includes('openCalls') ? 'begin where it begins.' : 'are not in it.'}
      </p>
    </form>
  );
}
