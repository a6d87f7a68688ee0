import { useSignal } from '@preact/signals';
import { formatBytes, formatCount, formatLength, formatPercent, shortened } from '../../base/format.ts';
import { ticks } from '../../base/ticks.ts';
import {
  createExports,
  EXPORT_FORMATS,
  type ExportPort,
  type ExportScope,
  type Exports,
  type OfferedFormat,
} from '../../model/export.ts';
import { saveFile } from '../../model/save_file.ts';
import { extentLength } from '../../model/view.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import exportWorker from '../../worker/export.ts?worker&url';
import { copyLink } from '../link.ts';
import type { Page } from '../page.ts';
import { startWorker } from '../workers.ts';
import './export_menu.css';

/** The exports of a trace go on while the menu is closed. */
const known = new WeakMap<OpenTrace, Exports>();

function exportsOf(open: OpenTrace): Exports {
  let exports = known.get(open);
  if (!exports) {
    exports = createExports(open.trace, (): ExportPort => startWorker(exportWorker));
    known.set(open, exports);
    open.scope.add(exports.cancel);
  }
  return exports;
}

/** What can be exported, in the order of the menu. The last one that has an effect is chosen first. */
function scopesOf({ trace, statistics, selection }: OpenTrace): { id: string; label: string; scope: ExportScope }[] {
  const clock = trace.info.value?.clock;
  const range = statistics.range.value;
  const selected = selection.selected.value;
  const scopes = [{ id: 'trace', label: 'Whole trace', scope: { range: null, track: null } as ExportScope }];
  if (range && clock) {
    scopes.push({
      id: 'range',
      label: `Range, ${formatLength(extentLength(range), clock)}`,
      scope: { range, track: null },
    });
  }
  if (selected?.item && selected.end !== null && clock) {
    const name = shortened(trace.names.of(selected.name), 30);
    const to = selected.end > selected.start ? selected.end : ticks(selected.start + 1n);
    scopes.push({
      id: 'selection',
      label: `Selected ${trace.info.value?.sliceNoun ?? 'slice'}, ${name}`,
      scope: { range: { from: selected.start, to }, track: selected.track },
    });
  }
  return scopes;
}

/** The formats that the trace has something for. */
function offered({ trace }: OpenTrace): readonly OfferedFormat[] {
  const tracks = [...trace.tracks.value.values()];
  const has = {
    all: true,
    stacks: tracks.some(({ slices, overlapping }) => slices > 0 && !overlapping),
    counters: tracks.some(({ samples }) => samples > 0),
  };
  return EXPORT_FORMATS.filter((format) => has[format.has]);
}

/** The menu of exports: what, and as which format. */
export function ExportMenu({ open, page }: { open: OpenTrace; page: Page }) {
  const exports = exportsOf(open);
  const state = exports.state.value;
  const scopes = scopesOf(open);
  const chosen = useSignal<string | null>(null);
  // A range was selected for a purpose.
  const fallback = scopes.find(({ id }) => id === 'range') ?? scopes[0]!;
  const { scope, id } = scopes.find((it) => it.id === chosen.value) ?? fallback;
  const isReading = open.trace.status.value.at === 'loading';
  const start = (format: OfferedFormat) => {
    const part = id === 'trace' ? '' : `-${id}`;
    const name = `${open.trace.name}${part}${format.ending}`;
    void exports.run(format, scope, name, () => saveFile(name));
  };
  return (
    <section class="popover export-popover" role="dialog" aria-label="Export">
      {isReading ? (
        <p class="muted">The trace is still being read. It can be exported when it is complete.</p>
      ) : (
        <>
          <fieldset class="export-scope" disabled={state.at === 'running'}>
            <legend>What</legend>
            {scopes.map((it) => (
              <label key={it.id}>
                <input
                  type="radio"
                  name="export-scope"
                  checked={it.id === id}
                  onChange={() => (chosen.value = it.id)}
                />
                {it.label}
              </label>
            ))}
          </fieldset>
          <ul class="export-formats">
            {offered(open).map((format) => (
              <li key={format.id}>
                <button
                  type="button"
                  class="plain export-format"
                  disabled={state.at === 'running'}
                  onClick={() => start(format)}
                >
                  <span>{format.label}</span>
                  <span class="muted">{format.hint}</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {open.memory.identity.value && (
        <div class="export-link">
          <button type="button" class="plain export-format" onClick={() => copyLink(page, copy(page))}>
            <span>Copy link to this view</span>
          </button>
        </div>
      )}
      {state.at === 'running' && (
        <div class="export-progress">
          <progress max={1} value={state.share} aria-label="Export progress" />
          <span class="muted">
            {formatPercent(Math.round(state.share * 1000), 1000)} · {formatBytes(state.bytes)}
          </span>
          <button type="button" onClick={exports.cancel}>
            Cancel
          </button>
        </div>
      )}
      {state.at === 'done' && (
        <p class="muted export-told" role="status">
          Saved {shortened(state.name, 60)}: {formatCount(state.rows)} rows, {formatBytes(state.bytes)}.
        </p>
      )}
      {state.at === 'failed' && (
        <p class="export-told" role="alert">
          {state.sentence}
        </p>
      )}
    </section>
  );
}

const copy = (page: Page) => (text: string) => {
  navigator.clipboard.writeText(text).catch(() => page.workbench.tell('The browser denied access to the clipboard.'));
};
