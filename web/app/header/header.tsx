import { Fragment } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { formatBytes, formatCounted, formatLength, formatPercent, shortened, titled } from '../../base/format.ts';
import { isRanged } from '../../base/ranged.ts';
import { runCommand } from '../../page/commands.ts';
import type { Page, SearchField } from '../../page/page.ts';
import { Companions } from '../../parts/companions.tsx';
import { Lazy } from '../../parts/lazy.tsx';
import { SideMark } from '../../parts/side_mark.tsx';
import type { ThemeChoice, ThemeControl } from '../../parts/theme.ts';
import { type OpenTrace, sideOf } from '../../timeline/open_trace.ts';
import type { Trace } from '../../trace/trace.ts';
import { slicesByNoun } from '../../trace/tracks.ts';
import { extentLength } from '../../trace/view.ts';
import { loadSearchBox } from '../load.ts';
import { Part } from './part.tsx';
import './header.css';

/** The header: the open file, its progress and its problems. */
export function Header({ page }: { page: Page }) {
  const { workbench, theme } = page;
  const bench = workbench.bench.value;
  const open = bench.at === 'open' && bench.open.trace.status.value.at !== 'failed' ? bench.open : null;
  const trace = open?.trace;
  const searched = trace?.info.value ? open : null;
  return (
    <header class="header">
      <div class="header-begin row">
        <span class="brand row">
          <Logo />
          Unspool
        </span>
        {open && <Facts open={open} page={page} />}
      </div>
      {searched ? (
        <div class="search-place">
          <Lazy
            key={searched.id}
            load={loadSearchBox}
            props={{ open: searched, page }}
            instead={<EarlySearch search={page.search} />}
          />
        </div>
      ) : (
        page.search.mode.value === 'commands' && (
          <div class="search-place">
            <Lazy
              key="commands"
              load={loadSearchBox}
              props={{ open: null, page }}
              instead={<EarlySearch search={page.search} />}
            />
          </div>
        )
      )}
      <span class="header-end row">
        {open &&
          trace?.info.value &&
          page.features.map(
            ({ button: Button }, i) => Button && <Button key={`${i} ${open.id}`} open={open} page={page} />,
          )}
        {trace && (
          <button
            type="button"
            class="plain"
            onClick={page.chooseFile}
            onFocus={workbench.warm}
            title="Open another trace (Ctrl+O)"
          >
            Open…
          </button>
        )}
        <button
          type="button"
          class="plain icon help-button"
          onClick={() => runCommand(page, 'show-help')}
          aria-label="Help"
          title="Help: questions, keys, words and documentation (?)"
        >
          ?
        </button>
        <ThemeButton theme={theme} />
      </span>
    </header>
  );
}

/** Takes what is typed before the code of the search is there. */
function EarlySearch({ search: { isAsked, early } }: { search: SearchField }) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (isAsked.value) input.current?.focus();
  }, [isAsked.value]);
  return (
    <input
      ref={input}
      class="early-search"
      aria-label="Search"
      value={early.value}
      // The field that takes its place has the focus, too.
      onFocus={() => {
        isAsked.value = true;
      }}
      onInput={({ currentTarget }) => {
        early.value = currentTarget.value;
      }}
    />
  );
}

const loadLoaded = async () => (await import('../served/loaded.tsx')).Loaded;
const loadGrowing = async () => (await import('../served/growing.tsx')).Growing;
const loadProblems = async () => (await import('./problems.tsx')).Problems;

function Facts({ open, page }: { open: OpenTrace; page: Page }) {
  const { trace } = open;
  const { cancel, removeCompanion, reopen } = page.workbench;
  const side = sideOf(open);
  const status = trace.status.value;
  const name = trace.entry.value === null ? trace.name : `${trace.name} › ${trace.entry.value}`;
  const heading = (
    <h1 class="file-name ellipsis" title={titled(name)}>
      {shortened(name)}
    </h1>
  );
  if (status.at === 'choosing') return heading;
  return (
    <>
      {side && <SideMark side={side} />}
      {heading}
      {trace.hasOthers.value && (
        <button type="button" class="plain" onClick={reopen} title="Choose another trace of this archive">
          Other traces…
        </button>
      )}
      <Companions companions={trace.companions.value} remove={removeCompanion} />
      {status.at === 'loading' ? <Loading trace={trace} cancel={cancel} /> : <Summary trace={trace} />}
      {status.at === 'ready' && isRanged(open.file) && (
        <Lazy key={`loaded ${open.id}`} load={loadLoaded} props={{ file: open.file }} />
      )}
      {trace.follows.value && <Lazy key={`growing ${open.id}`} load={loadGrowing} props={{ open }} />}
      <Part open={open} page={page} />
      {(trace.progress.value.problems.length > 0 || (status.at === 'ready' && status.error)) && (
        <Lazy key={open.id} load={loadProblems} props={{ trace }} />
      )}
    </>
  );
}

function Loading({ trace, cancel }: { trace: Trace; cancel: () => void }) {
  const { bytesRead, bytes, events, stage } = trace.progress.value;
  const noun = trace.info.value?.eventNoun ?? 'event';
  return (
    <span class="loading row">
      <progress max={Math.max(1, bytes)} value={bytesRead} aria-label="Reading progress" />
      <span class="muted">{formatPercent(bytesRead, bytes)}</span>
      <span class="muted loading-text ellipsis">
        {trace.info.value && `${trace.info.value.title} · `}
        {formatBytes(bytesRead)} of {formatBytes(bytes)}
        {trace.info.value && ` · ${formatCounted(events, noun)}`}
        {stage !== null && ` · ${stage}`}
      </span>
      <button type="button" onClick={cancel}>
        Cancel
      </button>
    </span>
  );
}

function Summary({ trace }: { trace: Trace }) {
  const info = trace.info.value;
  const { events, extent } = trace.progress.value;
  const tracks = trace.tracks.value;
  // Progress comes more often than tracks, of which there may be thousands.
  const { threads, lanes } = useMemo(() => {
    const all = [...tracks.values()];
    const ofLanes = all.filter(({ kind }) => kind === 'lane');
    return {
      threads: all.filter(({ kind }) => kind === 'thread').length,
      lanes: info ? slicesByNoun(ofLanes, info).slice(1) : [],
    };
  }, [tracks, info]);
  const parts = [
    ...(info ? [info.title] : []),
    formatBytes(trace.content.value?.size ?? trace.size),
    formatCounted(events, info?.eventNoun ?? 'event'),
  ];
  for (const [noun, count] of lanes) if (noun !== info?.eventNoun) parts.push(formatCounted(count, noun));
  if (threads > 0) parts.push(formatCounted(threads, 'thread'));
  // In a trace of ordinals the number of events is the length.
  if (info && extent && info.clock.kind !== 'ordinal') parts.push(formatLength(extentLength(extent), info.clock));
  // What does not fit is left out in whole: half a number is a wrong one.
  return (
    <span class="muted summary">
      {parts.map((part, at) => (
        <Fragment key={part}>
          {at > 0 && ' '}
          <span class="no-wrap">{at > 0 ? `· ${part}` : part}</span>
        </Fragment>
      ))}
    </span>
  );
}

const THEME_NAMES: Record<ThemeChoice, string> = { system: 'system', dark: 'dark', light: 'light' };

function ThemeButton({ theme }: { theme: ThemeControl }) {
  const name = THEME_NAMES[theme.choice.value];
  return (
    <button
      type="button"
      class="plain icon"
      onClick={theme.next}
      aria-label={`Theme: ${name}`}
      title={`Theme: ${name}`}
    >
      <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="1.5" />
        {theme.choice.value === 'system' ? (
          <path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" />
        ) : theme.choice.value === 'dark' ? (
          <circle cx="8" cy="8" r="6" fill="currentColor" />
        ) : (
          <circle cx="8" cy="8" r="2.5" fill="currentColor" />
        )}
      </svg>
    </button>
  );
}

function Logo() {
  return (
    <svg width="18" height="18" viewBox="0 0 16 16" aria-hidden="true" class="logo">
      <path d="M8 1.8a6.2 6.2 0 1 0 6.2 6.2" />
      <path d="M8 5.2A2.8 2.8 0 1 0 10.8 8H14" stroke-width="1.6" />
    </svg>
  );
}
