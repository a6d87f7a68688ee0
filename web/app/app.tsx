import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { formatCounted, shortened } from '../base/format.ts';
import type { Page } from '../page/page.ts';
import type { Workbench } from '../page/workbench.ts';
import { Lazy } from '../parts/lazy.tsx';
import { canWalk } from '../trace/stepping.ts';
import { listenForCommands } from './commands/keyboard.ts';
import { MenuHost } from './commands/menu_host.tsx';
import { DropOverlay } from './drop.tsx';
import { Entries } from './entries.tsx';
import { droppedFiles, FILE_INPUT, warm } from './files.ts';
import { Header } from './header/header.tsx';
import { loadTraceView } from './load.ts';
import { Welcome } from './welcome/welcome.tsx';
import './app.css';

/** Characters of a notice, which may have names of files in it. */
const LONGEST_NOTICE = 600;

const loadKeys = async () => (await import('./commands/keys.tsx')).KeysDialog;

/** The whole page. */
export function App({ page }: { page: Page }) {
  const { workbench, keysShown, chooseFile } = page;
  const bench = workbench.bench.value;
  const status = bench.at === 'open' ? bench.open.trace.status.value : null;

  // Before the first paint: keys that are pressed as soon as the page is there count.
  useLayoutEffect(() => listenForCommands(page), [page]);
  const canWalkNow = bench.at !== 'open' || canWalk(bench.open.trace.info.value);
  const closeKeys = () => {
    keysShown.value = false;
  };
  const keysFailed = () => {
    workbench.tell('The list of keys could not be loaded.');
    closeKeys();
  };

  return (
    <MenuHost page={page}>
      <div class="page">
        <Header page={page} />
        <input
          id={FILE_INPUT}
          hidden
          type="file"
          multiple
          onChange={(event) => {
            workbench.openFiles([...(event.currentTarget.files ?? [])]);
            // Without this, choosing the same file again would not be a change.
            event.currentTarget.value = '';
          }}
        />
        {status?.at === 'choosing' && bench.at === 'open' ? (
          <Entries trace={bench.open.trace} archive={status.archive} />
        ) : bench.at === 'open' && status?.at !== 'failed' ? (
          <Lazy key={bench.open.id} load={loadTraceView} props={{ open: bench.open, page }} />
        ) : (
          <Welcome page={page} choose={chooseFile} />
        )}
        <Notice workbench={workbench} choose={chooseFile} />
        <DropOverlay
          onEnter={() => warm(workbench)}
          onDrop={(data) => void workbench.openFiles(droppedFiles(data, page.recent))}
        />
        {keysShown.value && (
          <Lazy load={loadKeys} props={{ page, canWalk: canWalkNow, close: closeKeys }} failed={keysFailed} />
        )}
      </div>
    </MenuHost>
  );
}

function Notice({ workbench, choose }: { workbench: Workbench; choose: () => void }) {
  const changed = workbench.changed.value;
  const bench = workbench.bench.value;
  const id = bench.at === 'open' ? bench.open.id : 0;
  /** The trace whose limit the user keeps. */
  const kept = useSignal(0);
  const text = workbench.notice.value || (bench.at === 'open' ? bench.open.trace.shortage.value : '');
  const offered = workbench.offered.value;
  const looking = workbench.looking.value;
  const limited = bench.at === 'open' && bench.open.trace.canGoOn.value && kept.value !== id;
  return (
    <div class="notice row" role="status">
      {offered && (
        <p>
          {offered.isSent && `Another page has sent ${shortened(offered.name)}. `}
          Open {offered.isSent ? 'it' : shortened(offered.name)} in place of this trace?
          <button type="button" onClick={offered.accept}>
            Open
          </button>
          <button type="button" onClick={offered.decline}>
            Keep this trace
          </button>
        </p>
      )}
      {looking && (
        <p>
          Looking at {formatCounted(looking.files, 'file')}…
          <button type="button" onClick={workbench.cancel}>
            Cancel
          </button>
        </p>
      )}
      {changed && (
        <p>
          {changed.sentence}
          <button type="button" onClick={changed.canRead ? () => void workbench.readAgain() : choose}>
            {changed.canRead ? 'Read it again' : 'Choose it again'}
          </button>
          <button
            type="button"
            class="plain"
            aria-label="Keep what was read"
            onClick={() => (workbench.changed.value = null)}
          >
            ×
          </button>
        </p>
      )}
      {limited && (
        <p>
          Reading stopped at a limit. This file may need more memory than is available.
          <button type="button" onClick={workbench.goOn}>
            Go on
          </button>
          <button type="button" class="plain" aria-label="Keep the limit" onClick={() => (kept.value = id)}>
            ×
          </button>
        </p>
      )}
      {!offered && text !== '' && (
        <p>
          {shortened(text, LONGEST_NOTICE)}
          <button type="button" class="plain" aria-label="Dismiss" onClick={workbench.dismissNotice}>
            ×
          </button>
        </p>
      )}
    </div>
  );
}
