import { filesOf, type Served } from '../../page/served_files.ts';
import type { Workbench } from '../../page/workbench.ts';
import { prepareTraceView } from '../load.ts';

/** The token that `unspool open` makes for each run. */
const TOKEN = /^[0-9a-f]{32}$/;

/** The status for files that are not those that were named any more. The answer says which. */
const GONE = 410;
const EARLIER = 'This address is of an earlier run of unspool open. Run it again, and open the new address.';

/** Milliseconds before the next attempt to reach a server that does not answer. */
const AGAIN_MS = 2000;

/** Opens the files of the `unspool open` that has served this page, and tells it that there is a tab for as long as there is one. */
export async function openServed(token: string, workbench: Workbench, base = location.href): Promise<void> {
  if (!TOKEN.test(token)) return workbench.warn('This address is not one that unspool open writes.');
  const folder = new URL(`/${encodeURIComponent(token)}/`, base).href;
  // Before what is loaded beside it: browsers open few connections to a host at once.
  const asked = fetch(folder);
  void prepareTraceView();
  let list: Served;
  try {
    const response = await asked;
    if (!response.ok) {
      const sentence = response.status === GONE ? await response.text() : EARLIER;
      return workbench.warn(sentence.trim());
    }
    list = await response.json();
  } catch {
    return workbench.warn('unspool open has ended. Run it again, and open the new address.');
  }
  // One tab is enough, and browsers open few connections to a host at once. Another one takes over when it is closed.
  void navigator.locks?.request(`unspool-open ${token}`, () => stay(`${folder}alive`));
  await workbench.openFiles(filesOf(list, folder));
}

/** Holds a connection, by which the server knows of the tab. Resolves if another server has taken its place. */
async function stay(address: string): Promise<void> {
  for (;;) {
    try {
      const response = await fetch(address, { cache: 'no-store' });
      if (response.status === 404) return;
      const reader = response.body?.getReader();
      while (reader && !(await reader.read()).done);
    } catch {
      // The way there may be a tunnel, which comes back.
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}
