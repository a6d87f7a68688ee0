import type { Dispose } from '../../base/scope.ts';
import { watch } from '../../base/watch.ts';
import type { Page } from '../../page/page.ts';
import type { Noted } from '../../page/recent.ts';
import type { OpenTrace, Pair } from '../../timeline/open_trace.ts';

/** Notes two traces among the recent files once both are read, until disposed. */
export function noteBoth({ a, b }: Pair, { recent }: Page): Dispose {
  return watch([a.trace.status, b.trace.status], () => {
    if ([a, b].every(({ trace }) => trace.status.peek().at === 'ready')) void recent.note(...notedOf(a), notedOf(b));
  });
}

function notedOf({ file, trace: { name, size, info, companions } }: OpenTrace): Required<Noted> {
  return [file, { name, size, format: info.peek()?.title ?? '' }, companions.peek().map((companion) => companion.file)];
}
