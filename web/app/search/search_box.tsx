import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { formatCount, formatPercent, plural } from '../../base/format.ts';
import { resultOf } from '../../base/portions.ts';
import { watch } from '../../base/watch.ts';
import { contextOf } from '../../page/commands.ts';
import { bringToFront, HITS } from '../../page/dock.ts';
import { type Page, SEARCH_ID, type SearchMode, type Start } from '../../page/page.ts';
import { Combo } from '../../parts/combo.tsx';
import { useInPortions } from '../../parts/in_portions.ts';
import { goTo, isPosition } from '../../timeline/go_to.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { Wrong } from '../../timeline/widgets/expression_field.tsx';
import { exampleSearch, inserted } from '../../trace/completion.ts';
import type { Find } from '../../trace/find.ts';
import { isSql } from '../../trace/wanted_query.ts';
import type { SearchRow } from './rows.ts';
import './search.css';

type RowsModule = typeof import('./rows.ts') &
  Pick<typeof import('./ranking.ts'), 'recentChoices' | 'rememberChoice'> &
  Pick<typeof import('../../page/starts.ts'), 'loadStarts'>;

const loadRows = async (): Promise<RowsModule> => {
  const [rows, ranking, starts] = await Promise.all([
    import('./rows.ts'),
    import('./ranking.ts'),
    import('../../page/starts.ts'),
  ]);
  return { ...rows, ...ranking, ...starts };
};

interface Props {
  /** null without a trace: it has commands then. */
  readonly open: OpenTrace | null;
  readonly page: Page;
}

/**
 * The field for everything that can be looked for: words on the screen, places, values, SQL and commands. What it offers is listed
 * below it. Beside what was typed are the number of hits, and the way from one to the next.
 */
export function SearchBox({ open, page }: Props) {
  const { mode, isAsked, early } = page.search;
  const input = useRef<HTMLInputElement>(null);
  const isOpen = useSignal(false);
  /** What is typed that is not looked for in the trace: a command, a place or a query. */
  const aside = useSignal<string | null>(null);
  const caret = useSignal(0);
  const module = useSignal<RowsModule | null>(null);
  const hasFailed = useSignal(false);
  const variables = useSignal<readonly string[]>([]);
  const starts = useSignal<readonly Start[]>([]);
  /** Why the place that was typed leads nowhere, or ''. */
  const nowhere = useSignal('');
  const before = useRef<HTMLElement | null>(null);
  /** What was typed last that is looked for: its search begins later. */
  const mine = useRef('');
  const context = useSignal(contextOf(page));
  const narrowed: SearchMode = open ? mode.value : 'commands';
  const text = aside.value ?? (narrowed === 'all' ? (open?.find.text.value ?? '') : '');
  const version = open?.trace.names.version.value;
  const known = module.value;
  const places = useInPortions(
    () => (open && known ? known.placesFor(open, text, narrowed) : null),
    [open, known, text, narrowed, version],
    [],
  );
  const listOf = (loaded: RowsModule, places: readonly SearchRow[] | null) => {
    loaded.addMoreCommands(page);
    return loaded.rowsFor({
      mode: narrowed,
      text,
      caret: caret.value,
      open,
      page,
      context: context.value,
      recent: loaded.recentChoices(),
      variables: variables.value,
      starts: starts.value,
      places: places ?? [],
    });
  };
  const rows = isOpen.value && known ? listOf(known, places) : [];

  useLayoutEffect(
    () =>
      watch([mode], () => {
        aside.value = null;
        nowhere.value = '';
      }),
    [],
  );
  useLayoutEffect(() => {
    if (!isAsked.value) return;
    isAsked.value = false;
    const field = input.current;
    if (document.activeElement === field) prepare();
    field?.focus();
    const begun = early.peek();
    early.value = '';
    if (begun !== '') {
      // What was typed goes on at its end.
      isOpen.value = true;
      typed(begun, begun.length);
      return;
    }
    field?.select();
    // With something to look for, the list would cover what was found.
    isOpen.value = mode.peek() !== 'all' || field?.value === '';
  }, [isAsked.value]);
  // A search from elsewhere, such as a menu, takes the place of what was typed.
  useEffect(
    () =>
      open
        ? watch([open.find.asked], () => {
            const asked = open.find.asked.peek();
            if (asked === '' || asked === mine.current) return;
            aside.value = null;
            mode.value = 'all';
          })
        : undefined,
    [open],
  );
  const loadingFailed = () => {
    hasFailed.value = true;
  };
  const prepare = () => {
    context.value = contextOf(page);
    if (!module.peek()) {
      hasFailed.value = false;
      loadRows().then(async (loaded) => {
        module.value = loaded;
        starts.value = await loaded.loadStarts(page).catch(() => []);
      }, loadingFailed);
    }
    if (open?.trace.info.peek()?.offers.includes('values') && variables.peek().length === 0) {
      void open.trace.records
        .aboutValues((values) => values.knownValues())
        .then((known) => {
          variables.value = known?.variables ?? [];
        });
    }
  };
  /** The focus returns to where it was. After an act it goes to what keys move in: Enter must not press a button. */
  const leave = (isAct = false) => {
    isOpen.value = false;
    mode.value = 'all';
    aside.value = null;
    const element = isAct ? before.current?.closest<HTMLElement>('table,.area') : before.current;
    const target = element?.isConnected ? element : page.surface.peek()?.area;
    if (target) target.focus({ preventScroll: true });
    else input.current?.blur();
  };
  const typed = (value: string, at: number) => {
    caret.value = at;
    nowhere.value = '';
    if (narrowed === 'all' && value.startsWith('>')) {
      if (open) open.find.text.value = '';
      mode.value = 'commands';
      // After what the change of the mode empties.
      queueMicrotask(() => {
        aside.value = value.slice(1);
      });
    } else if (!open || narrowed !== 'all') aside.value = value;
    else if (isSql(value)) {
      if (aside.peek() === null) open.find.clear();
      aside.value = value;
    } else {
      aside.value = null;
      mine.current = value;
      open.find.text.value = value;
    }
  };
  const take = (row: SearchRow | undefined) => {
    if (row?.put) {
      const put = inserted(text, row.put.completions, row.put.item);
      typed(put.text, put.caret);
      isOpen.value = put.goesOn;
      requestAnimationFrame(() => input.current?.setSelectionRange(put.caret, put.caret));
      return;
    }
    if (!row?.run) return;
    if (row.isRemembered) module.peek()?.rememberChoice(row.id);
    // The focus returns to where it was, from where the command may move it.
    if (row.leaves) leave(narrowed === 'all');
    else isOpen.value = false;
    row.run();
  };
  const enter = (back: boolean) => {
    if (open && narrowed === 'places') {
      // The next key is for the timeline, even before the place is found. A name has further places.
      if (isPosition(text, open)) leave();
      void goTo(text, open).then((sentence) => {
        nowhere.value = sentence;
        if (sentence !== '') isOpen.value = true;
      });
      return;
    }
    const first = (rowsOf: RowsModule, places: readonly SearchRow[] | null) => {
      const [row] = listOf(rowsOf, places);
      const leads = row && !row.put && row.id !== 'find-text' && !back;
      if (open && narrowed === 'all' && aside.peek() === null && !leads) void open.find.step(back ? -1 : 1);
      else take(row);
    };
    const loaded = module.peek();
    if (loaded && (places || !open)) first(loaded, places);
    else {
      // What was typed before the list was there counts.
      loadRows().then(async (rowsOf) => {
        first(rowsOf, open && (await resultOf(rowsOf.placesFor(open, text, narrowed))));
      }, loadingFailed);
    }
  };
  const state = open?.find.state.value;
  const isFind = narrowed === 'all' && aside.value === null;
  const isWrong = isFind && state?.at === 'wrong';
  const remark = isFind && state?.at === 'done' ? (state.failure ?? state.reason ?? null) : null;
  const empty = rows.length === 0 && isOpen.value && module.value !== null && (text !== '' || narrowed === 'commands');
  const note = isWrong ? (
    <Wrong text={open?.find.asked.value ?? ''} wrong={state.wrong} />
  ) : remark !== null || nowhere.value !== '' || hasFailed.value ? (
    <p class="expression-note small" role="alert">
      {remark ?? (nowhere.value || 'The list could not be loaded.')}
    </p>
  ) : empty ? (
    <p class="expression-note small muted">{narrowed === 'commands' ? 'No command matches.' : 'Nothing matches.'}</p>
  ) : null;
  const info = open?.trace.info.value;
  return (
    <search class={open && text !== '' ? 'find used' : 'find'} aria-label="Search">
      <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true" class="find-icon">
        <path d="M9.5 9.5l3.5 3.5M10.5 6a4.5 4.5 0 1 1-9 0a4.5 4.5 0 1 1 9 0" />
      </svg>
      {open && narrowed !== 'all' && (
        <span class="find-mode small rigid">{narrowed === 'commands' ? 'Commands' : 'Go to'}</span>
      )}
      <Combo<SearchRow>
        id={SEARCH_ID}
        label={LABELS[narrowed]}
        placeholder={PLACEHOLDERS[narrowed] ?? (info ? `Search: ${exampleSearch(info)}` : '')}
        value={text}
        wrong={isWrong || nowhere.value !== ''}
        rows={rows}
        isOpen={isOpen}
        marksFirst
        leavesAtOnce={narrowed !== 'all' || text === ''}
        note={note}
        input={input}
        listLabel="Results of the search"
        onInput={typed}
        onFocus={(from) => {
          before.current = from instanceof HTMLElement ? from : null;
          prepare();
          if (text === '') isOpen.value = true;
        }}
        onBlur={() => {
          mode.value = 'all';
        }}
        take={take}
        onEnter={enter}
        onEscape={() => {
          if (narrowed === 'all') open?.find.clear();
          leave();
        }}
        onBack={() => {
          mode.value = 'all';
          isOpen.value = true;
        }}
      />
      {open && isFind && text !== '' && <HitsPart open={open} page={page} field={input} />}
    </search>
  );
}

const LABELS: Readonly<Record<SearchMode, string>> = {
  all: 'Search',
  commands: 'Search commands',
  places: 'Go to a position or a name',
};
const PLACEHOLDERS: Readonly<Partial<Record<SearchMode, string>>> = {
  commands: 'Command or panel',
  places: 'Position or name',
};

interface HitsProps extends Props {
  readonly open: OpenTrace;
  readonly field: { readonly current: HTMLInputElement | null };
}

/** The number of hits, and what can be done with them. */
function HitsPart({ open, page, field }: HitsProps) {
  const { find } = open;
  const state = find.state.value;
  const none = find.count.value === 0;
  const list = () => bringToFront(page.dock, open.trace.info.peek()?.format, HITS);
  return (
    // The field keeps the focus, so that its list and its keys stay.
    // biome-ignore lint/a11y/noStaticElementInteractions: it only keeps presses from moving the focus.
    <span class="find-hits row rigid" onMouseDown={(event) => event.preventDefault()}>
      <span class="find-count small muted" role="status">
        {countText(find)}
      </span>
      <button
        type="button"
        class="plain icon"
        aria-label="Previous hit"
        title="Previous hit (Shift+F3)"
        disabled={none}
        onClick={() => void find.step(-1)}
      >
        <Arrow d="M1 7l4-4 4 4" />
      </button>
      <button
        type="button"
        class="plain icon"
        aria-label="Next hit"
        title="Next hit (F3)"
        disabled={none}
        onClick={() => void find.step(1)}
      >
        <Arrow d="M1 3l4 4 4-4" />
      </button>
      {/* With keys they are different elements: a click that began on one never ends on another. */}
      {state.at === 'searching' ? (
        <button key="stop" type="button" class="plain link" onClick={find.stop}>
          Stop
        </button>
      ) : state.at === 'done' && state.stopped && state.failure === null ? (
        <button key="again" type="button" class="plain link" onClick={find.again} title="Search again, to the end">
          Search all
        </button>
      ) : null}
      {state.at !== 'searching' && (
        <button key="list" type="button" class="plain link" disabled={none} onClick={list} title="List all hits">
          All hits
        </button>
      )}
      <button
        type="button"
        class="plain icon"
        aria-label="Clear the search"
        title="Clear the search (Escape)"
        onClick={() => {
          find.clear();
          field.current?.focus();
        }}
      >
        ×
      </button>
    </span>
  );
}

/** How many hits there are, and how far the search is. */
function countText({ state, count, current, asked }: Find): string {
  const now = state.value;
  const hits = `${formatCount(count.value)} ${plural(count.value, 'hit')}`;
  switch (now.at) {
    case 'idle':
    case 'wrong':
      return '';
    case 'waiting':
      return 'Waiting for the file…';
    case 'searching':
      return `${hits} · ${now.share === null ? 'searching…' : formatPercent(now.share, 1)}`;
    case 'done': {
      if (asked.value === '') return '';
      const beyond = now.beyond > 0 ? ` + ${formatCount(now.beyond)} not listed` : '';
      const stopped = now.stopped ? ' · stopped' : '';
      const place = current.value >= 0 ? `${formatCount(current.value + 1)} of ${formatCount(count.value)}` : hits;
      return `${place}${beyond}${stopped}`;
    }
  }
}

function Arrow({ d }: { d: string }) {
  return (
    <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
      <path d={d} fill="none" stroke="currentColor" stroke-width="1.5" />
    </svg>
  );
}
