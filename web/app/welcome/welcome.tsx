import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { formatBytes, formatOffset, formatPercent, shortened, titled } from '../../base/format.ts';
import { ONE_FILE, sampleWithin } from '../../base/one_file.ts';
import type { TraceError } from '../../base/protocol.ts';
import type { Page } from '../../page/page.ts';
import type { Bench, Workbench } from '../../page/workbench.ts';
import { Companions } from '../../parts/companions.tsx';
import { Lazy } from '../../parts/lazy.tsx';
import { MarkedText } from '../../parts/marked_text.tsx';
import { FORMATS, type Format } from '../formats.ts';
import './welcome.css';

const loadRecent = async () => (await import('./recent.tsx')).RecentFiles;
const loadAwaited = async () => (await import('./awaited.tsx')).AwaitedFile;

/** The page without a trace: the formats, the samples, and why a file did not open. */
export function Welcome({ page, choose }: { page: Page; choose: () => void }) {
  const { workbench } = page;
  const bench = workbench.bench.value;
  const isMore = useSignal(false);
  if (bench.at === 'fetching') return <Fetching bench={bench} cancel={workbench.cancel} />;
  const failure = failureOf(bench);
  // Until it is known where the file is, it may open by itself.
  const awaited = !failure && page.awaited.value?.source !== undefined ? page.awaited.value : null;
  const isTouched = isTouch();
  return (
    <main class="welcome thin-scroll">
      <div class="welcome-inner">
        <section class={isTouched ? 'welcome-drop' : 'welcome-drop zone'} aria-label="Open a trace">
          {failure ? (
            <Failure {...failure} />
          ) : awaited ? (
            <Lazy load={loadAwaited} props={{ page, awaited, choose }} />
          ) : (
            <h1>{isTouched ? 'Open a trace file' : 'Drop a trace anywhere on this page'}</h1>
          )}
          {workbench.waiting.value.length > 0 && (
            <div class="waiting row wrap" role="status">
              <Companions companions={workbench.waiting.value} remove={workbench.removeCompanion} />
              <span class="muted">{workbench.waiting.value.length === 1 ? 'waits' : 'wait'} for a trace.</span>
            </div>
          )}
          {!awaited && (
            <p class="welcome-open row wrap">
              <button type="button" class="primary" onClick={choose} onFocus={workbench.warm}>
                {failure ? 'Open another trace' : 'Open a trace'}
              </button>
              {!isTouched && (
                <span class="muted">
                  or press <kbd>Ctrl</kbd> <kbd>O</kbd>, or paste an address
                </span>
              )}
            </p>
          )}
          <p class="muted privacy">Files are read in this tab. Nothing is uploaded.</p>
          {ONE_FILE && (
            <p class="muted privacy">
              This page is a file. It has no address for links or for other pages, keeps no copies of traces, and
              unpacks compressed ones in memory.
            </p>
          )}
        </section>
        <Recently page={page} />
        <section aria-labelledby="opens">
          <h2 id="opens">Supported formats, with samples</h2>
          <ul class="formats">
            {FORMATS.map((format) => (
              <FormatRow key={format.id} format={format} open={(path) => void openSample(workbench, path)} />
            ))}
          </ul>
        </section>
        <details class="additions" onToggle={() => (isMore.value = true)}>
          <summary>What else can be added</summary>
          {isMore.value && <Lazy load={async () => (await import('./additions.tsx')).Additions} props={{}} />}
        </details>
      </div>
    </main>
  );
}

/** Opens a sample. The page in one file has it within. */
async function openSample(workbench: Workbench, path: string): Promise<void> {
  if (!ONE_FILE) return workbench.openUrl(path);
  return workbench.openBlob(sampleWithin(path), path.slice(path.lastIndexOf('/') + 1));
}

/** Files that were opened lately, if there are any. */
function Recently({ page: { recent, copies, workbench } }: { page: Page }) {
  useEffect(() => {
    void recent.load();
    void copies.load();
  }, [recent, copies]);
  const isEmpty = recent.files.value.length + copies.list.value.length === 0;
  return isEmpty ? null : <Lazy load={loadRecent} props={{ recent, copies, workbench }} />;
}

/** A format: what is shown of it, how to record it, and its samples. */
function FormatRow({ format, open }: { format: Format; open: (path: string) => void }) {
  return (
    <li>
      <div>
        <h3>{format.name}</h3>
        <p class="muted">{format.about}</p>
        <p class="muted small format-record">
          <MarkedText text={format.record} />
        </p>
      </div>
      <ul class="samples" aria-label={`Samples of ${format.name}`}>
        {format.samples.map(({ path, name, about }) => (
          <li key={path}>
            <button type="button" onClick={() => open(path)}>
              <b>{name}</b>
              <span class="muted small">{about}</span>
            </button>
          </li>
        ))}
      </ul>
    </li>
  );
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
      <h1 title={titled(name)}>{shortened(name)} could not be opened</h1>
      <p>{ownSentence(error)}</p>
      {error.offset !== null && error.offset > 0n && <p class="muted">At {formatOffset(error.offset)} of the file.</p>}
    </div>
  );
}

/** What is wrong. The formats that a refusal ends with are on the page anyway. */
function ownSentence({ kind, sentence }: TraceError): string {
  return kind === 'unrecognised' ? (sentence.split(' Supported formats: ')[0] ?? sentence) : sentence;
}

function failureOf(bench: Bench): { name: string; error: TraceError } | null {
  if (bench.at === 'refused') return { name: bench.name, error: bench.error };
  if (bench.at !== 'open') return null;
  const status = bench.open.trace.status.value;
  return status.at === 'failed' ? { name: bench.open.trace.name, error: status.error } : null;
}
