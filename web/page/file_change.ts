import { formatBytes, shortened } from '../base/format.ts';
import { type FileMemory, headOf } from '../trace/file_memory.ts';
import type { Trace } from '../trace/trace.ts';
import type { Recent } from './recent.ts';

/** A file on disk that is no longer what was opened. */
export interface ChangedFile {
  /** What happened. */
  readonly sentence: string;
  /** Whether the browser can read the file as it is now. Otherwise the user chooses it again. */
  readonly canRead: boolean;
  /** It has more than what was read, so it can be followed. */
  readonly canFollow?: boolean;
}

/** What a watch needs of an open trace. */
export interface Watched {
  readonly file: Blob;
  readonly trace: Pick<Trace, 'name' | 'readFrom'>;
  readonly memory: Pick<FileMemory, 'identity'>;
}

/**
 * What has become of a file, and the file if it has grown. `again` reads it as it is now; `refusal` is the name of the error with which the
 * browser does not read it.
 */
export async function changeOf(
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
  const { change, grown } = changed(`has grown by ${formatBytes(by)}`, true, isKnown ? now : null);
  return { change: { ...change, canFollow: isKnown }, grown };
}
