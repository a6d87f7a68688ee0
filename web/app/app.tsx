import { useLayoutEffect } from 'preact/hooks';
import type { Page } from '../page/page.ts';
import { returnFocus } from '../parts/focus_return.ts';
import { Lazy } from '../parts/lazy.tsx';
import '../parts/shown_text.ts';
import { listenForCommands } from './commands/keyboard.ts';
import { MenuHost } from './commands/menu_host.tsx';
import { DropOverlay } from './drop.tsx';
import { droppedFiles, FILE_INPUT, purposeOfChoice, warm } from './files.ts';
import { Header } from './header/header.tsx';
import { loadTraceView } from './load.ts';
import { Notices } from './notices.tsx';
import { listenForPastes } from './paste.ts';
import { Welcome } from './welcome/welcome.tsx';
import './app.css';

const loadEntries = async () => (await import('./entries.tsx')).Entries;

/** The whole page. */
export function App({ page }: { page: Page }) {
  const { workbench, dialog, chooseFile } = page;
  const bench = workbench.bench.value;
  const status = bench.at === 'open' ? bench.open.trace.status.value : null;

  // Before the first paint: keys that are pressed as soon as the page is there count.
  useLayoutEffect(() => listenForCommands(page), [page]);
  useLayoutEffect(() => listenForPastes(page), [page]);
  useLayoutEffect(() => {
    const home = () => page.surface.peek()?.area ?? null;
    // The focus would bring another timeline to the front.
    return returnFocus(home, (element) => element.closest('.two .side:not([data-front])') !== null);
  }, [page]);
  const close = () => {
    dialog.value = null;
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
            workbench.openFiles([...(event.currentTarget.files ?? [])], purposeOfChoice());
            // Without this, choosing the same file again would not be a change.
            event.currentTarget.value = '';
          }}
        />
        {status?.at === 'choosing' && bench.at === 'open' ? (
          <Lazy load={loadEntries} props={{ trace: bench.open.trace, archive: status.archive }} />
        ) : bench.at === 'open' && status?.at !== 'failed' ? (
          <Lazy
            key={(workbench.pair.value?.a ?? bench.open).id}
            load={loadTraceView}
            props={{ open: bench.open, page }}
          />
        ) : (
          <Welcome page={page} choose={chooseFile} />
        )}
        <Notices workbench={workbench} choose={chooseFile} news={page.news} />
        <DropOverlay
          onEnter={() => warm(workbench)}
          onDrop={(data) => void workbench.openFiles(droppedFiles(data, page.recent), 'drop')}
        />
        {dialog.value && (
          <Lazy
            key={dialog.value}
            load={dialog.value}
            props={{ page, close }}
            failed={() => {
              workbench.warn('This part of the page could not be loaded.');
              close();
            }}
          />
        )}
      </div>
    </MenuHost>
  );
}
