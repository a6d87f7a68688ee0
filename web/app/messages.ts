import type { Workbench } from '../page/workbench.ts';
import { noteSender, senderOf } from './senders.ts';

/** Characters of a name that another page gives. */
const LONGEST_NAME = 300;

/**
 * Handles a message of another page, such as the one that opened this one. Any page may offer a trace:
 * `{type: 'unspool:open', name, buffer}`. It replaces an open one only if the user agrees. Questions about the open trace are
 * answered to pages of the own `origin` alone, because a trace is private. They are those of tests, and their code is loaded for them.
 */
export function hearMessage(
  { data, source, origin: from }: MessageEvent<unknown>,
  workbench: Workbench,
  origin: string,
): void {
  if (typeof data !== 'object' || data === null || !('type' in data)) return;
  const bench = workbench.bench.peek();
  const open = bench.at === 'open' ? bench.open : null;
  const answer = (message: object | null) => message && source?.postMessage(message, { targetOrigin: origin });
  switch (data.type) {
    case 'unspool:digest':
    case 'unspool:survey':
    case 'unspool:picture':
      if (from === origin) void import('./probe.ts').then(async ({ answerTo }) => answer(await answerTo(data, open)));
      return;
    case 'unspool:open': {
      const blob = bufferOf(data, workbench);
      if (!blob) return;
      noteSender(blob, source, from);
      const sender = open && senderOf(open.file);
      // It is for a page to replace its own trace.
      if (sender && sender.source === source && sender.origin === from) workbench.openBlob(blob, titleOf(data));
      else workbench.offer(blob, titleOf(data));
    }
  }
}

function titleOf(data: object): string {
  const { name } = data as { name?: unknown };
  return typeof name === 'string' && name !== '' ? name.slice(0, LONGEST_NAME) : 'trace';
}

/** The file in a message; null, with a notice, if there is none. */
function bufferOf(data: object, workbench: Workbench): Blob | null {
  const { buffer } = data as { buffer?: unknown };
  const title = titleOf(data);
  const isShared = typeof SharedArrayBuffer !== 'undefined' && buffer instanceof SharedArrayBuffer;
  if (isShared || (buffer instanceof ArrayBuffer && (buffer as { resizable?: boolean }).resizable)) {
    // It could change while it is being read.
    workbench.warn(`${title} was sent as a ${isShared ? 'shared' : 'resizable'} buffer, which cannot be opened.`);
  } else if (buffer instanceof ArrayBuffer || buffer instanceof Blob) {
    return new Blob([buffer]);
  } else {
    workbench.warn(`${title} was sent without its bytes: “buffer” is neither an ArrayBuffer nor a Blob.`);
  }
  return null;
}
