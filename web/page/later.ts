/*
 * Parts of the page that the workbench loads when they are first needed.
 */

import type { TraceError } from '../base/protocol.ts';
import { isRanged } from '../base/ranged.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';
import type { ChangedFile } from './file_change.ts';
import { watchFile } from './file_watch.ts';
import type { Recent } from './recent.ts';

export const loadOpening = () => import('./opening.ts');

export const loadComparing = () => import('./comparing.ts');

/** Throws a {@link TraceError} if it cannot be loaded. */
export const loadDownload = () =>
  import('./download.ts').catch(() => {
    const sentence = 'This part of the page could not be loaded. Reload the page to try again.';
    throw { kind: 'crashed', sentence, offset: null } satisfies TraceError;
  });

/** Watches a file, as {@link watchFile} does. Of one at an address, the next read says what has become of it, and what is kept is accounted for. */
export function watchOpen(open: OpenTrace, again: Recent['again'], tell: (change: ChangedFile) => void): () => void {
  if (!isRanged(open.file)) return watchFile(open, again, tell);
  void import('./loads.ts').then(({ accountFor }) => open.scope.add(accountFor(open)));
  return () => undefined;
}
