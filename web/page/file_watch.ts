import { formatBytes, shortened } from '../base/format.ts';
import { type FileMemory, headOf } from '../trace/file_memory.ts';
import type { Trace } from '../trace/trace.ts';
import type { Recent } from './recent.ts';

/** Milliseconds between two looks at a file. */
const LOOK_MS = 2000;
/** A file on disk that is no longer what was opened. */
export interface ChangedFile {
  /** What happened. */
  readonly sentence: string;
  /** Whether the browser can read the file as it is now. Otherwise the user chooses it again. */
  readonly canRead: boolean;
}

/** What a watch needs of an open trace. */
export interface Watched {
  readonly file: Blob;
  readonly trace: Pick<Trace, 'name' | 'readFrom'>;
  readonly memory: Pick<FileMemory, 'identity'>;
}

/**
 * Looks at a file every two seconds while the page is visible, and when it becomes visible. Browsers refuse to read a file that was changed after the user chose
 * it, even by a byte. Goes on with a file that has grown, of which the trace reads records. `again` reads the file as it is now.
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
    const refusal = await refusalOf(file);
    if (refusal) {
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

/** Why the browser does not read a file, as the name of an error; null if it does. */
async function refusalOf(file: Blob): Promise<string | null> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return null;
  } catch (error) {
    return error instanceof DOMException ? error.name : '';
  }
}

/** What has become of a file, and the file if it has grown. */
async function changeOf(
  { file, trace, memory }: Watched,
  again: Recent['again'],
  refusal: string,
): Promise<{ change: ChangedFile; grown: File | null }> {
  const name = shortened(trace.name, 100);
  const changed = (how: string, canRead: boolean, grown: File | null = null) => ({
    change: { sentence: `${name} ${how}. What was read before is kept.`, canRead },
    grown,
  });
  let now: File | null = null;
  try {
    now = await again(file);
  } catch {
    return changed('was moved or deleted', false);
  }
  if (!now) return changed(refusal === 'NotFoundError' ? 'was moved or deleted' : 'has changed on disk', false);
  const by = now.size - file.size;
  const [before, after] = [memory.identity.peek()?.head, await headOf(now.slice(0, file.size))];
  // Without hashes, neither is known.
  const isKnown = Boolean(before && after);
  if (by === 0 || (isKnown && before !== after && by > 0)) return changed('was replaced', true);
  if (by < 0) return changed(`has shrunk by ${formatBytes(-by)}`, true);
  return changed(`has grown by ${formatBytes(by)}`, true, isKnown ? now : null);
}
