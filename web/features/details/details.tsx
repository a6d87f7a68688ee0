import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { whenIdle } from '../../base/idle.ts';
import type { Page } from '../../page/page.ts';
import { Lazy } from '../../parts/lazy.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { LEVELS, PALETTES } from '../../timeline/render/palette.ts';
import './details.css';

/** Details of the selection, or what is shown without one. */
export function Details({
  open,
  page,
  tabs,
  instead,
  label = 'State',
}: {
  open: OpenTrace;
  page: Page;
  /** What stands above them. */
  tabs?: ComponentChildren;
  /** The state of the machine, or a picture, which is shown in their place, and what it is called. */
  instead?: ComponentChildren;
  label?: string;
}) {
  const { trace, selection } = open;
  const known = selection.known.value;
  const info = trace.info.value;
  const extent = trace.progress.value.extent;
  // The first selection does not wait for it.
  useEffect(() => whenIdle(() => void loadItem().catch(() => {})), []);
  // One element for all, so that the tabs stay, and the focus on them.
  if (instead)
    return (
      <aside class="details thin-scroll" aria-label={label}>
        {tabs}
        {instead}
      </aside>
    );
  if (!known || !info || !extent)
    return (
      <aside class="details thin-scroll" aria-label="Trace">
        {tabs}
        <StartHere open={open} page={page} />
      </aside>
    );
  return (
    <aside class="details thin-scroll" aria-label="Details">
      {tabs}
      {open.selection.anchor.value && (
        <Lazy load={async () => (await import('./measured.tsx')).Measured} props={{ open }} />
      )}
      {known.at === 'asking' && <p class="muted">Reading…</p>}
      {known.at === 'unknown' && <p class="muted">{known.error?.sentence ?? 'No details for this selection.'}</p>}
      {known.at === 'known' && (
        <Lazy
          load={loadItem}
          props={{
            open,
            page,
            details: known.details,
            context: { clock: info.clock, origin: extent.from },
            colour:
              PALETTES[page.theme.theme.value].slices[
                (trace.names.colour[known.details.name] ?? 0) * LEVELS + LEVELS - 1
              ]!,
          }}
        />
      )}
    </aside>
  );
}

/** The questions of the trace, and what features show of it as a whole. */
export function StartHere({ open, page }: { open: OpenTrace; page: Page }) {
  const info = open.trace.info.value;
  return (
    <>
      {page.features
        .flatMap(({ overviews }) => overviews ?? [])
        .map(({ offered, load }, i) => offered(open) && <Lazy key={i} load={load} props={{ open, page }} />)}
      {info && <Lazy key={open.id} load={() => loadStartHere(page)} props={{ open, page, info }} />}
    </>
  );
}

const loadItem = async () => (await import('./item.tsx')).Item;

/** Loads what is shown without a selection. The first picture of a trace comes before it. */
async function loadStartHere(page: Page) {
  await new Promise<void>((resolve) => whenIdle(resolve, 200));
  const { startHereOf } = await import('./start_here.tsx');
  return startHereOf(page);
}
