import { useSignal } from '@preact/signals';
import { formatBytes, formatCount, formatLength, formatPercent, shortened } from '../../base/format.ts';
import { ticks } from '../../base/ticks.ts';
import { startWorker } from '../../base/workers.ts';
import { contextOf, runCommand } from '../../page/commands.ts';
import type { HeaderMenuProps } from '../../page/menu_button.tsx';
import { Cleaning } from '../../parts/cleaning.tsx';
import { Popover } from '../../parts/popover.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { type Opened, perTrace } from '../../trace/per_trace.ts';
import { saveFile } from '../../trace/save_file.ts';
import { type Extent, extentLength, toTick } from '../../trace/view.ts';
import { startCutWorker } from '../../trace/writing_calls.ts';
import {
  createExports,
  EXPORT_FORMATS,
  type ExportScope,
  hasArguments,
  lackOfPart,
  type OfferedFormat,
  ownFormat,
  unpackedName,
} from './export.ts';
import { type PictureKind, savePicture } from './pictures.ts';
import exportWorker from './worker/export.ts?worker&url';
import './export_menu.css';

/** The exports of a trace go on while the menu is closed. */
const exportsOf = perTrace(({ trace, scope }: Opened) => {
  const exports = createExports(trace, (of) => (of === 'stretch' ? startCutWorker() : startWorker(exportWorker)));
  scope.add(exports.cancel);
  return exports;
});

/** What can be exported, in the order of the menu. The last one that has an effect is chosen first. */
function scopesOf(open: OpenTrace): { id: string; label: string; scope: ExportScope }[] {
  const { trace, statistics, selection } = open;
  const clock = trace.info.value?.clock;
  const range = statistics.range.value;
  const selected = selection.selected.value;
  const scopes = [{ id: 'trace', label: 'Whole trace', scope: { range: null, track: null } as ExportScope }];
  const screen = screenOf(open);
  if (screen && clock) {
    scopes.push({
      id: 'screen',
      label: `On screen, ${formatLength(extentLength(screen), clock)}`,
      scope: { range: screen, track: null },
    });
  }
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

/** The part of the trace on the screen, if that is not all of it. */
function screenOf({ trace, timeline }: OpenTrace): Extent | null {
  const view = timeline.view.value;
  const { extent } = trace.progress.value;
  if (!view || !extent) return null;
  const [left, right] = [toTick(view, 0), toTick(view, timeline.size.value.width)];
  const from = left > extent.from ? left : extent.from;
  const to = right < extent.to ? right : extent.to;
  return from < to && (from > extent.from || to < extent.to) ? { from: ticks(from), to: ticks(to) } : null;
}

/** The trace's own format, if parts of it can be written. */
function ownOf(open: OpenTrace): OfferedFormat | null {
  const { trace } = open;
  const info = trace.info.value;
  if (!info || !trace.content.value || !info.offers.includes('stretches')) return null;
  return ownFormat(info.title, fileName(open));
}

/** The name of the trace's file without what it was packed in. */
function fileName({ trace }: OpenTrace): string {
  return unpackedName(trace.entry.value?.split('/').pop() ?? trace.name);
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
export function ExportMenu({ open, page }: HeaderMenuProps) {
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
    const whole = fileName(open);
    // The name of a part ends as that of its file.
    const stem = format.id === 'own' ? whole.slice(0, whole.length - format.ending.length) : open.trace.name;
    const name = `${stem}${format.id === 'own' && part === '' ? '-copy' : part}${format.ending}`;
    void exports.run(format, scope, name, () => saveFile(name));
  };
  const savePictureAs = (kind: PictureKind) => {
    const name = `${open.trace.name}${kind.of === 'flame' ? '-flame' : ''}.${kind.as}`;
    // What is on the screen is a picture as it is, with the tracks of the window only.
    const part = id === 'screen' ? { range: null, track: null } : wholeOf(scope);
    void exports.save(
      name,
      () => saveFile(name),
      (sink) => savePicture(open, page, kind, part, sink),
    );
  };
  const wholeOf = (of: ExportScope): ExportScope => ({ ...of, range: of.range ?? open.trace.progress.value.extent });
  const own = ownOf(open);
  const info = open.trace.info.value;
  const lack = own && info && lackOfPart(info, scope);
  const running = state.at === 'running';
  return (
    <Popover class="export-popover popover-end" label="Export">
      {isReading ? (
        <p class="muted">The trace is still being read. It can be exported once it is complete.</p>
      ) : (
        <>
          <fieldset class="export-scope" disabled={running}>
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
          <Cleaning
            choices={exports.choices}
            of={`${id} ${exports.args.value}`}
            preview={() => exports.preview(own ?? EXPORT_FORMATS[0]!, scope)}
          />
          {info && hasArguments(info) && (
            <label class="export-args row" title="Arguments and results of calls, and payloads of events">
              <input
                type="checkbox"
                checked={exports.args.value}
                disabled={running}
                onChange={({ currentTarget }) => (exports.args.value = currentTarget.checked)}
              />
              Arguments <span class="muted">Perfetto, Chrome JSON</span>
            </label>
          )}
          <ul class="export-formats">
            {[...(own ? [own] : []), ...offered(open)].map((format) => (
              <li key={format.id}>
                <button type="button" class="plain export-format" disabled={running} onClick={() => start(format)}>
                  <span>{format.label}</span>
                  <span class="muted">{format.hint}</span>
                </button>
                {format === own && lack && <p class="muted">{lack}</p>}
              </li>
            ))}
          </ul>
          <div class="export-pictures">
            <Picture label="Timeline" save={(as) => savePictureAs({ of: 'timeline', as })} disabled={running} />
            {open.statistics.flame.value && (
              <Picture label="Flame graph" save={(as) => savePictureAs({ of: 'flame', as })} disabled={running} />
            )}
          </div>
        </>
      )}
      {open.memory.identity.value && (
        <div class="export-link">
          <button type="button" class="plain export-format" onClick={() => runCommand(page, 'copy-link')}>
            <span>Copy link to this view</span>
          </button>
          {['save-frame', 'keep-copy', 'delete-copy'].map((id) => {
            const command = page.commands.find((known) => known.id === id && known.enabled(contextOf(page)));
            return (
              command && (
                <button key={id} type="button" class="plain export-format" onClick={() => runCommand(page, id)}>
                  <span>{command.title}</span>
                </button>
              )
            );
          })}
        </div>
      )}
      {state.at === 'running' && (
        <div class="export-progress row">
          <progress max={1} value={state.share} aria-label="Export progress" />
          <span class="muted">
            {formatPercent(Math.round(state.share * 1000), 1000)}
            {state.bytes > 0 && ` · ${formatBytes(state.bytes)}`}
          </span>
          <button type="button" onClick={exports.cancel}>
            Cancel
          </button>
        </div>
      )}
      {state.at === 'done' && (
        <p class="muted export-told" role="status">
          Saved {shortened(state.name, 60)}: {state.rows > 0 && `${formatCount(state.rows)} rows, `}
          {formatBytes(state.bytes)}.{state.stopped !== '' && ` Reading stopped: ${state.stopped}.`}
        </p>
      )}
      {state.at === 'failed' && (
        <p class="export-told" role="alert">
          {state.sentence}
        </p>
      )}
    </Popover>
  );
}

interface PictureProps {
  readonly label: string;
  readonly save: (as: PictureKind['as']) => void;
  readonly disabled: boolean;
}

function Picture({ label, save, disabled }: PictureProps) {
  return (
    <p>
      <span>{label}</span>
      {(['svg', 'png'] as const).map((as) => (
        <button
          key={as}
          type="button"
          disabled={disabled}
          aria-label={`${label} as ${as.toUpperCase()}`}
          onClick={() => save(as)}
        >
          {as.toUpperCase()}
        </button>
      ))}
    </p>
  );
}
