/*
 * Parts of the page that the workbench loads when they are first needed.
 */

import type { TraceError } from '../base/protocol.ts';
import { isRanged } from '../base/ranged.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';
import type { ChangedFile } from './file_change.ts';
import type { Opener } from './opener.ts';
import type { Disk } from './recent.ts';

export const loadOpening = () => import('./opening.ts');

export const loadComparing = () => import('./comparing.ts');

/** Throws a {@link TraceError} if it cannot be loaded. */
export const loadDownload = () =>
  import('./download.ts').catch(() => {
    const sentence = 'This part of the page could not be loaded. Reload the page to try again.';
    throw { kind: 'crashed', sentence, offset: null } satisfies TraceError;
  });

/**
 * Watches a file: `tell` hears what has become of it. One that is followed is read on. Of another one at an address, the next read says what
 * has become of it. What is kept of it is accounted for.
 */
export function watchOpen(open: OpenTrace, disk: Disk, opener: Opener, tell: (change: ChangedFile) => void): void {
  const { scope, file } = open;
  if (isRanged(file)) void import('./loads.ts').then(({ accountFor }) => scope.add(accountFor(open)));
  if (open.trace.follows.peek()) {
    void import('./following.ts').then(({ follow }) => scope.add(follow(open, disk, tell, opener)));
  } else if (!isRanged(file)) {
    void import('./file_watch.ts').then(({ watchFile }) => scope.add(watchFile(open, disk.again, tell)));
  }
}
