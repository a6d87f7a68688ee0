import { effect, untracked } from '@preact/signals';
import { shortened } from '../base/format.ts';
import { alignmentOf } from '../timeline/alignment.ts';
import type { OpenTrace, Pair } from '../timeline/open_trace.ts';
import { differencesOf } from './differences.ts';
import { differs, follow, type OtherLink } from './link.ts';
import type { Page } from './page.ts';
import { sourceOf } from './restore.ts';

/** Characters of a file's name in a notice. */
const LONGEST = 100;

/**
 * Opens the second trace of a link beside the first one, where the browser has its file or it is downloaded, and shows the view of the link.
 * Otherwise the user has to choose it. `isOwn`: the page itself has written the link. Resolves once nothing more comes by itself.
 */
export async function bringOther(other: OtherLink, base: OpenTrace, page: Page, isOwn: boolean): Promise<void> {
  const { workbench } = page;
  const joined = whenJoined(other, base, page);
  // What has an address comes by itself, and what was chosen along with the first one is there.
  if (new URLSearchParams(location.search).has('with') || workbench.pair.peek()) return joined;
  const source = await sourceOf(other.link, page);
  const files = source?.isGranted && isOwn ? await source.open() : null;
  if (base.pair.peek() || workbench.bench.peek().at !== 'open') return;
  if (!files) {
    workbench.warn(missing(shortened(other.link.file.name, LONGEST), shortened(base.trace.name, LONGEST)));
    return;
  }
  await workbench.openFiles(files, 'compare');
  if (workbench.pair.peek()) await joined;
}

/** Says which file of a link to two is missing, and how to open it. `open`: the one that is there. */
export function missing(name: string, open: string): string {
  return `This view compares ${open} with ${name}: drop ${name}, or choose it with “Compare with…”.`;
}

/** Shows the view of a link to two traces once the second one is there and read. Resolves then, or when one of both is closed. */
function whenJoined(other: OtherLink, base: OpenTrace, page: Page): Promise<void> {
  return new Promise((resolve) => {
    let shown = false;
    const stop = effect(() => {
      const pair = base.pair.value;
      if (shown || pair?.a !== base) return;
      const identity = pair.b.memory.identity.value;
      if (!identity || pair.b.trace.status.value.at !== 'ready' || !pair.b.timeline.view.value) return;
      shown = true;
      untracked(() => {
        const isMeant = differs(other.link, identity) === '';
        void (isMeant ? showBoth(other, pair, page) : Promise.resolve()).finally(resolve);
      });
      queueMicrotask(() => stop());
    });
    base.scope.add(stop);
    base.scope.add(resolve);
  });
}

async function showBoth(
  { link, aligned, isLinked, ignored, isInFront }: OtherLink,
  pair: Pair,
  { dock }: Page,
): Promise<void> {
  const alignment = alignmentOf(pair);
  alignment.chosen.value = aligned;
  alignment.isLinked.value = isLinked;
  differencesOf(pair).ignored.value = ignored;
  await follow(link, pair.b, dock);
  if (isInFront) pair.show(pair.b);
}
