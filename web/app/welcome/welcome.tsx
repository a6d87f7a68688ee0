import { useEffect } from 'preact/hooks';
import { formatBytes, formatOffset, formatPercent, shortened } from '../../base/format.ts';
import type { TraceError } from '../../base/protocol.ts';
import type { Page } from '../../page/page.ts';
import type { Bench } from '../../page/workbench.ts';
import { Companions } from '../../parts/companions.tsx';
import { Lazy } from '../../parts/lazy.tsx';
import { FORMATS, SAMPLES } from '../formats.ts';
import './welcome.css';

const loadRecent = async () => (await import('./recent.tsx')).RecentFiles;
const loadAwaited = async () => (await import('./awaited.tsx')).AwaitedFile;

/** The page without a trace: the formats, the samples, and why a file did not open. */
export function Welcome({ page, choose }: { page: Page; choose: () => void }) {
  const { workbench } = page;
  const bench = workbench.bench.value;
  if (bench.at === 'fetching') return <Fetching bench={bench} cancel={workbench.cancel} />;
  const failure = failureOf(bench);
  // Until it is known where the file is, it may open by itself.
  const awaited = !failure && page.awaited.value?.source !== undefined ? page.awaited.value : null;
  return (
    <main class="welcome">
      <div class="welcome-inner">
        {failure ? (
          <Failure {...failure} />
        ) : awaited ? (
          <Lazy load={loadAwaited} props={{ page, awaited, choose }} />
        ) : (
          <h1>{isTouch() ? 'Open a trace file' : 'Drop a trace anywhere on this page'}</h1>
        )}
        {workbench.waiting.value.length > 0 && (
          <div class="waiting row wrap" role="status">
            <Companions companions={workbench.waiting.value} remove={workbench.removeCompanion} />
            <span class="muted">{workbench.waiting.value.length === 1 ? 'waits' : 'wait'} for a trace.</span>
          </div>
        )}
        {!awaited && (
          <p class="welcome-open row">
            <button type="button" class="primary" onClick={choose} onFocus={workbench.warm}>
              {failure ? 'Open another trace' : 'Open a trace'}
            </button>
            {!isTouch() && (
              <span class="muted">
                or press <kbd>Ctrl</kbd> <kbd>O</kbd>
              </span>
            )}
          </p>
        )}
        <Recently page={page} />
        <section aria-labelledby="opens">
          <h2 id="opens">Supported formats</h2>
          <ul class="formats">
            {FORMATS.map((format) => (
              <li key={format.id}>
                <b>{format.name}</b> <span class="muted">{format.about}</span>
              </li>
            ))}
          </ul>
          <p class="muted containers">Also in gzip, zstd, xz, Brotli, zip and tar</p>
        </section>
        <section aria-labelledby="samples">
          <h2 id="samples">Samples</h2>
          <ul class="samples">
            {SAMPLES.map((sample) => (
              <li key={sample.path}>
                <button type="button" onClick={() => void workbench.openUrl(sample.path)}>
                  <b>{sample.name}</b>
                  <span class="muted">{sample.about}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
        <p class="muted privacy">Files are read in this tab. Nothing is uploaded.</p>
      </div>
    </main>
  );
}

/** Files that were opened lately, if there are any. */
function Recently({ page: { recent, copies, workbench } }: { page: Page }) {
  useEffect(() => void recent.load(), [recent]);
  const isEmpty = recent.files.value.length + copies.list.value.length === 0;
  return isEmpty ? null : <Lazy load={loadRecent} props={{ recent, copies, workbench }} />;
}

/** Whether the device has neither a pointer that drags files nor, most likely, a keyboard. */
function isTouch(): boolean {
  return matchMedia('(hover: none) and (pointer: coarse)').matches;
}

function Fetching({ bench, cancel }: { bench: Extract<Bench, { at: 'fetching' }>; cancel: () => void }) {
  const { name, received, total } = bench;
  return (
    <main class="welcome">
      <div class="welcome-inner" role="status">
        <h1>Downloading {shortened(name)}</h1>
        <p class="muted">
          {formatBytes(received)}
          {total !== null && ` of ${formatBytes(total)} · ${formatPercent(received, total)}`}
        </p>
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      </div>
    </main>
  );
}

function Failure({ name, error }: { name: string; error: TraceError }) {
  return (
    <div class="failure" role="alert">
      <h1 title={shortened(name, 1000)}>{shortened(name)} could not be opened</h1>
      <p>{error.sentence}</p>
      {error.offset !== null && error.offset > 0n && <p class="muted">At {formatOffset(error.offset)} of the file.</p>}
    </div>
  );
}

function failureOf(bench: Bench): { name: string; error: TraceError } | null {
  if (bench.at === 'refused') return { name: bench.name, error: bench.error };
  if (bench.at !== 'open') return null;
  const status = bench.open.trace.status.value;
  return status.at === 'failed' ? { name: bench.open.trace.name, error: status.error } : null;
}
