import { effect } from '@preact/signals';
import { whenIdle } from '../../base/idle.ts';
import { ONE_FILE } from '../../base/one_file.ts';
import { sweepSpools } from '../../base/spools.ts';
import { createPolicy } from '../../base/workers.ts';
import type { Page } from '../../page/page.ts';
import type { FileHandle } from '../../page/recent.ts';
import { ABOUT_COMMANDS } from '../about/commands.ts';
import { offerReports } from '../about/offer.tsx';
import { updateLine } from './update.tsx';

/** Milliseconds after which files are kept: what the user came for is loaded first. */
const LATER_MS = 2000;

/** The part of the File Handling API that is used. The DOM types lack it, as do some browsers. */
interface Launches {
  readonly launchQueue?: {
    setConsumer(consume: (launch: { readonly files: readonly FileHandle[] }) => void): void;
  };
}

/** Does what an idle page has to do besides traces. `savesData`: whether the user asked the browser to transfer little. */
export function afterStart(page: Page, savesData: boolean): void {
  page.commands.push(...ABOUT_COMMANDS);
  offerReports(page);
  openLaunched(page);
  void sweepSpools();
  void page.copies.load();
  if (!savesData) keepPage(page);
}

/** Opens the files that an installed page is started with: those that were opened in the computer's file manager. */
function openLaunched({ workbench, recent }: Page): void {
  (globalThis as Launches).launchQueue?.setConsumer(async ({ files: handles }) => {
    try {
      const files = await Promise.all(
        handles.map(async (handle) => {
          const file = await handle.getFile();
          recent.know(file, handle);
          return file;
        }),
      );
      if (files.length > 0) await workbench.openFiles(files);
    } catch {
      workbench.warn('The file cannot be read any more.');
    }
  });
}

/**
 * Keeps the files of the page, so that it opens without a network, and offers a new version once that is kept. The development server has
 * none, a page that is embedded need not open by itself, and one of `unspool open` goes with that.
 */
function keepPage(page: Page): void {
  if (!import.meta.env.PROD || ONE_FILE || window.parent !== window || !('serviceWorker' in navigator)) return;
  if (new URLSearchParams(location.search).has('open')) return;
  setTimeout(() => {
    const stop = effect(() => {
      if (page.workbench.state.value === 'loading') return undefined;
      return whenIdle(() => {
        stop();
        void register(page);
      });
    });
  }, LATER_MS);
}

async function register(page: Page): Promise<void> {
  const { serviceWorker } = navigator;
  const address = new URL('sw.js', location.href);
  const policy = createPolicy('unspool-offline', (url) => {
    if (url !== address.href) throw new TypeError(`${url} is not the service worker of the page`);
    return url;
  });
  try {
    const url = policy.createScriptURL(address.href);
    const registration = await serviceWorker.register(url, { updateViaCache: 'none' });
    const Line = updateLine(page, registration);
    const offer = () => {
      // The first version replaces none.
      if (registration.waiting && serviceWorker.controller) page.news.value = [...new Set(page.news.peek()).add(Line)];
    };
    const hear = () => registration.installing?.addEventListener('statechange', offer);
    registration.addEventListener('updatefound', hear);
    hear();
    offer();
  } catch {
    // The browser keeps nothing for this page, or the host has no such file: the page works with a network.
  }
}
