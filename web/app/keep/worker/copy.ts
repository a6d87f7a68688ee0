/* The worker that copies a file into the private files of the origin. The page terminates it to cancel. */

import {
  ABOUT,
  type Copy,
  type CopyFailure,
  type CopyService,
  copiesFolder,
  copyLock,
} from '../../../base/copies_protocol.ts';
import { holdForLife } from '../../../base/held.ts';
import { serveToPage } from '../../../trace/worker/serving.ts';
import type { AccessHandle } from '../../../trace/worker/spool.ts';

/** Minimum time between two reports of progress, in ms. */
const REPORT_MS = 100;

async function write(copy: Copy, files: readonly Blob[], tell: (bytes: number) => void): Promise<CopyFailure | null> {
  try {
    // Before there is a folder, so that no page takes it for one that a tab has left.
    await holdForLife(copyLock(copy.id));
    const folder = await (await copiesFolder()).getDirectoryHandle(copy.id, { create: true });
    const description = await folder.getFileHandle(ABOUT, { create: true });
    await copyTo(description, new Blob([JSON.stringify(copy)]), () => undefined);
    let written = 0;
    let toldAt = 0;
    for (const [i, file] of files.entries()) {
      await copyTo(await folder.getFileHandle(`${i}`, { create: true }), file, (bytes) => {
        written += bytes;
        if (performance.now() - toldAt < REPORT_MS) return;
        toldAt = performance.now();
        tell(written);
      });
    }
    return null;
  } catch (thrown) {
    return thrown instanceof DOMException && thrown.name === 'QuotaExceededError' ? 'full' : 'failed';
  }
}

/** Copies a file in chunks as they are read: it may be larger than memory. */
async function copyTo(handle: FileSystemFileHandle, file: Blob, wrote: (bytes: number) => void): Promise<void> {
  const own = handle as FileSystemFileHandle & { createSyncAccessHandle(): Promise<AccessHandle> };
  const access = await own.createSyncAccessHandle();
  try {
    const reader = file.stream().getReader();
    for (let at = 0; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      if (access.write(value, { at }) < value.length) throw new DOMException('', 'QuotaExceededError');
      at += value.length;
      wrote(value.length);
    }
  } finally {
    access.close();
  }
}

serveToPage<CopyService>({ write });
