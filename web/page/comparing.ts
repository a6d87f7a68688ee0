import { batch, effect } from '@preact/signals';
import { shortened } from '../base/format.ts';
import type { TraceError, TraceInfo } from '../base/protocol.ts';
import { createScope } from '../base/scope.ts';
import { watch } from '../base/watch.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';
import { addressOf, download } from './download.ts';
import { furtherRunsOf } from './further_runs.ts';
import type { ComparedFile, Opener } from './opener.ts';

/** Characters of a file's name in a notice. */
const LONGEST = 100;

/**
 * Opens a file to compare it with the trace that is open, which is the base, or with the base in place of what that was compared with.
 * Refuses any other file than a trace of the same format. Resolves once it is known whether it is one.
 */
export async function compareWith(opener: Opener, file: ComparedFile): Promise<void> {
  const { pair } = opener;
  const shown = opener.inFront();
  const base = pair.peek()?.a ?? shown;
  const first = base && (await recognised(base));
  if (!first || !opener.isOpen(base)) return;
  const open = opener.make(file);
  // An archive asks which of its traces is meant.
  open.scope.add(
    watch([open.trace.status], () => {
      if (open.trace.status.peek().at === 'choosing') opener.show(open);
    }),
  );
  const second = await recognised(open);
  if (!opener.isOpen(base) || !opener.isOpen(open)) return;
  const why = refusal(open, first, second);
  if (why === '') {
    const before = pair.peek()?.b;
    const { runs, listed, others } = file;
    const further = (runs?.flat().length ?? 0) + (others?.files.length ?? 0);
    if (first.offers.includes('values') && (listed || further > 0)) {
      const ranked = await (await import('./ranking.ts')).sortRuns(opener, base, open, file);
      if (ranked) join(opener, ranked.a, ranked.b, ranked.b);
      const kept = ranked ? [ranked.a, ranked.b] : [base];
      for (const left of [base, open, before]) {
        if (left && !kept.includes(left) && opener.isOpen(left)) opener.end(left);
      }
      return;
    }
    if (others) opener.warn(others.notice);
    if (runs)
      [base, open].forEach((of, i) => {
        furtherRunsOf(of).files.value = runs[i]!;
      });
    join(opener, base, open, base);
    if (before) opener.end(before);
    return;
  }
  if (opener.inFront() !== shown) opener.show(base);
  opener.end(open);
  opener.warn(why);
}

/** Downloads a file to compare it, as {@link compareWith} does. Closing the open trace ends the download. */
export async function compareUrl(opener: Opener, text: string): Promise<void> {
  const { net, urls, tell, warn } = opener;
  const base = opener.inFront();
  if (!base) return;
  const controller = new AbortController();
  base.scope.add(() => controller.abort());
  try {
    const address = addressOf(text, net.base);
    const name = shortened(address.name, LONGEST);
    tell(`Downloading ${name}, to compare it…`);
    const file = await download(address, net, controller.signal, () => undefined);
    urls.set(file, text);
    if (!opener.isOpen(base)) return;
    tell('');
    await compareWith(opener, { file, name: address.name, companions: [] });
  } catch (error) {
    if (opener.isOpen(base)) warn((error as TraceError).sentence);
  }
}

/** What a file is; null if it is not a trace or was closed. */
function recognised({ trace, scope }: OpenTrace): Promise<TraceInfo | null> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      const info = trace.info.value;
      if (!info && trace.status.value.at !== 'failed') return;
      resolve(info);
      queueMicrotask(() => stop());
    });
    scope.add(stop);
    scope.add(() => resolve(null));
  });
}

/** Why a trace is not compared with another one, in a sentence; '' if it is. */
function refusal({ trace }: OpenTrace, first: TraceInfo, second: TraceInfo | null): string {
  const name = shortened(trace.name, LONGEST);
  const status = trace.status.peek();
  if (status.at === 'failed') return `${name} cannot be compared: ${status.error.sentence}`;
  if (!second || second.format === first.format) return '';
  return `${name} is ${second.title}, and the open trace ${first.title}: only traces of one format are compared.`;
}

/** Makes a pair of two open traces in place of the one before, one of them in front. */
function join(opener: Opener, a: OpenTrace, b: OpenTrace, front: OpenTrace): void {
  const { pair, show } = opener;
  const scope = createScope();
  const isInFront = (open: OpenTrace) => opener.inFront() === open;
  const close = (open: OpenTrace) => {
    scope.dispose();
    batch(() => {
      pair.value = null;
      show(open === a ? b : a);
    });
    opener.end(open);
  };
  pair.peek()?.scope.dispose();
  batch(() => {
    pair.value = {
      a,
      b,
      scope,
      show,
      close,
      swap: () => join(opener, b, a, isInFront(b) ? b : a),
      replace: (open, file) => {
        const next = opener.make(file);
        const [before, after] = [furtherRunsOf(open), furtherRunsOf(next)];
        after.files.value = before.files.peek();
        after.view.value = before.view.peek();
        const shown = isInFront(open) ? next : open === a ? b : a;
        if (open === a) join(opener, next, b, shown);
        else join(opener, a, next, shown);
        opener.end(open);
      },
      openFurther: opener.make,
      endFurther: opener.end,
    };
    show(front);
  });
  for (const open of [a, b]) {
    scope.add(
      watch([open.trace.status], () => {
        const status = open.trace.status.peek();
        if (status.at !== 'failed') return;
        // The pair is whole first.
        queueMicrotask(() => {
          if (!opener.isOpen(open)) return;
          close(open);
          opener.warn(`${shortened(open.trace.name, LONGEST)}: ${status.error.sentence}`);
        });
      }),
    );
  }
}
