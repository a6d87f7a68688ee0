import type { OpenTrace } from '../model/open_trace.ts';
import type { Workbench } from '../model/workbench.ts';
import { noteSender, senderOf } from './senders.ts';

/** Milliseconds that the GPU may take for a picture that a page asks for. */
const PATIENCE_MS = 60_000;

/** Characters of a name that another page gives. */
const LONGEST_NAME = 300;

/**
 * Handles a message of another page, such as the one that opened this one. Any page may offer a trace:
 * `{type: 'unspool:open', name, buffer}`. It replaces an open one only if the user agrees. Questions about the open trace are
 * answered to pages of the own `origin` alone, because a trace is private.
 */
export function hearMessage(
  { data, source, origin: from }: MessageEvent<unknown>,
  workbench: Workbench,
  origin: string,
): void {
  if (typeof data !== 'object' || data === null || !('type' in data)) return;
  const bench = workbench.bench.peek();
  const trace = bench.at === 'open' ? bench.open.trace : null;
  const answer = (message: object) => source?.postMessage(message, { targetOrigin: origin });
  switch (data.type) {
    case 'unspool:digest':
      if (from !== origin) return;
      void Promise.resolve(trace?.digest() ?? null).then((digest) => answer({ type: 'unspool:digested', digest }));
      return;
    case 'unspool:survey':
      if (from !== origin) return;
      void Promise.resolve(trace?.records.survey() ?? null).then((it) => answer({ type: 'unspool:surveyed', ...it }));
      return;
    case 'unspool:picture':
      if (from !== origin || bench.at !== 'open') return;
      void pictureOf(bench.open, data).then(answer);
      return;
    case 'unspool:open': {
      const blob = bufferOf(data, workbench);
      if (!blob) return;
      noteSender(blob, source, from);
      const sender = trace && bench.at === 'open' ? senderOf(bench.open.file) : null;
      // It is for a page to replace its own trace.
      if (sender && sender.source === source && sender.origin === from) workbench.openBlob(blob, titleOf(data));
      else workbench.offer(blob, titleOf(data));
    }
  }
}

/** The picture after a call, with what failed; `isChecked`, `isWhole` and `spacing` as in `How` of `web/model/replay.ts`. The code for it is loaded when it is asked for. */
async function pictureOf(open: OpenTrace, data: object): Promise<object> {
  const { call, isChecked, isWhole, spacing } = data as Readonly<Record<string, unknown>>;
  const { replayOf } = await import('./replay/replays.ts');
  const replay = replayOf(open);
  const how = {
    patience: PATIENCE_MS,
    isChecked: isChecked === true,
    isWhole: isWhole === true,
    spacing: typeof spacing === 'number' ? spacing : null,
  };
  const shown = await replay.ask(Number(call), 'color', how);
  const { failures, refusals, error, coverage } = replay;
  const found = {
    failures: failures.peek(),
    refusals: refusals.peek(),
    error: error.peek(),
    coverage: coverage.peek(),
  };
  return { type: 'unspool:pictured', call, picture: shown?.picture ?? null, ...found };
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
    workbench.tell(`${title} was sent as a ${isShared ? 'shared' : 'resizable'} buffer, which cannot be opened.`);
  } else if (buffer instanceof ArrayBuffer || buffer instanceof Blob) {
    return new Blob([buffer]);
  } else {
    workbench.tell(`${title} was sent without its bytes: “buffer” is neither an ArrayBuffer nor a Blob.`);
  }
  return null;
}
