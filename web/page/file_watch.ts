import { type ChangedFile, changeOf, type Watched } from './file_change.ts';
import type { Recent } from './recent.ts';

/** Milliseconds between two looks at a file. */
const LOOK_MS = 2000;

/**
 * Looks at a file every two seconds while the page is visible, and when it becomes visible. Browsers refuse to read a file that was
 * changed after the user chose it, even by a byte. Goes on with a file that has grown, of which the trace reads records. `again` reads the file as it is now.
 * Returns what ends the watch.
 */
export function watchFile(
  watched: Watched,
  again: Recent['again'],
  tell: (change: ChangedFile) => void,
  page: (EventTarget & Pick<Document, 'hidden'>) | undefined = globalThis.document,
): () => void {
  // Outside a browser, nothing is chosen that could change.
  if (!page) return () => undefined;
  let file = watched.file;
  let looking = false;
  const look = async () => {
    looking = true;
    const refusal = (await refusalOf(file)) ?? (await sizeHasChanged(file, again));
    if (refusal !== null) {
      const { change, grown } = await changeOf(watched, again, refusal);
      if (grown) watched.trace.readFrom(grown);
      else end();
      file = grown ?? file;
      tell(change);
    }
    looking = false;
  };
  const lookIfShown = () => {
    if (!looking && !page.hidden) void look();
  };
  const timer = setInterval(lookIfShown, LOOK_MS);
  page.addEventListener('visibilitychange', lookIfShown);
  const end = () => {
    clearInterval(timer);
    page.removeEventListener('visibilitychange', lookIfShown);
  };
  return end;
}

/** Chromium still reads a file that was changed within the second in which it was chosen. Returns '' then, and null otherwise. */
async function sizeHasChanged(file: Blob, again: Recent['again']): Promise<'' | null> {
  const now = await again(file).catch(() => null);
  return now && now.size !== file.size ? '' : null;
}

/** Why the browser does not read a file, as the name of an error; null if it does. */
async function refusalOf(file: Blob): Promise<string | null> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return null;
  } catch (error) {
    return error instanceof DOMException ? error.name : '';
  }
}
