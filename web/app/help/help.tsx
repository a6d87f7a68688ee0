import { PAGES } from 'virtual:documentation';
import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { DialogProps, Start } from '../../page/page.ts';
import { askedOf, loadStarts } from '../../page/starts.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { MarkedText } from '../../parts/marked_text.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { canWalk } from '../../trace/stepping.ts';
import { showAbout } from '../about/commands.ts';
import { Keys } from '../commands/keys.tsx';
import { FORMATS } from '../formats.ts';
import { type Block, plainText } from './document.ts';
import { DocumentView, type GoTo } from './document_view.tsx';
import './help.css';

/** Pages of the documentation that were read, the latest last. They are kept while the page lives: help goes on where it was left. */
const trail = signal<readonly string[]>([]);

/** The page of the documentation that explains words, with a heading for each format. */
const WORDS = 'words';
/** The groups that the list of pages has, by what their paths begin with; the rest comes first. */
const FORMAT_PAGES = 'formats/';

/** Help, as a modal dialog: questions that the trace answers, keys, words, and the documentation. */
export function Help({ page, close }: DialogProps) {
  const shown = trail.value.at(-1);
  const go: GoTo = (to) => {
    trail.value = [...trail.peek(), to];
  };
  const back = () => {
    trail.value = trail.peek().slice(0, -1);
  };
  const box = useRef<HTMLDivElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  // What was clicked is gone.
  useEffect(() => title.current?.focus(), [shown]);
  return (
    <Dialog class="help" title="help-title" close={close}>
      <header class="help-head row">
        {shown !== undefined && (
          <button type="button" onClick={back} aria-label={trail.value.length > 1 ? 'Back' : 'Back to help'}>
            ←
          </button>
        )}
        {/* The browser scrolls to the focus, which belongs at the top. */}
        <h1 id="help-title" tabIndex={-1} autofocus ref={title}>
          {shown === undefined ? 'Help' : 'Documentation'}
        </h1>
        {shown === undefined && <Contents box={box} />}
        {shown === undefined && (
          <button type="button" class="plain" onClick={() => showAbout(page)}>
            About
          </button>
        )}
        <button type="button" class="help-close" onClick={close}>
          Close
        </button>
      </header>
      <div class="help-body thin-scroll" ref={box}>
        {shown === undefined ? (
          <Overview page={page} go={go} close={close} />
        ) : (
          <Reading key={shown} at={shown} go={go} />
        )}
      </div>
    </Dialog>
  );
}

/** The parts of help, in their order. */
const PARTS = [
  ['questions', 'Questions'],
  ['keys', 'Keys'],
  ['words', 'Words'],
  ['documentation', 'Documentation'],
] as const;

function Contents({ box }: { box: { readonly current: HTMLElement | null } }) {
  return (
    <nav class="row" aria-label="Parts of help">
      {PARTS.map(([id, title]) => (
        <button
          key={id}
          type="button"
          class="plain"
          onClick={() => box.current?.querySelector(`#help-${id}`)?.scrollIntoView()}
        >
          {title}
        </button>
      ))}
    </nav>
  );
}

function Overview({ page, go, close }: DialogProps & { readonly go: GoTo }) {
  const bench = page.workbench.bench.value;
  const open = bench.at === 'open' ? bench.open : null;
  const info = open?.trace.info.value ?? null;
  return (
    <>
      <section id="help-questions" aria-labelledby="help-questions-title">
        <h2 id="help-questions-title">Questions</h2>
        {open && info ? (
          <Questions open={open} page={page} close={close} />
        ) : (
          <p class="muted">Open a trace, and this has the questions that it answers.</p>
        )}
      </section>
      <section id="help-keys" aria-labelledby="help-keys-title">
        <h2 id="help-keys-title">Keys</h2>
        <Keys page={page} canWalk={open === null || canWalk(info)} />
      </section>
      <section id="help-words" aria-labelledby="help-words-title">
        <h2 id="help-words-title">Words</h2>
        <Glossary format={FORMATS.find(({ id }) => id === info?.format)?.name ?? null} go={go} />
      </section>
      <section id="help-documentation" aria-labelledby="help-documentation-title">
        <h2 id="help-documentation-title">Documentation</h2>
        <PageList title="Using the page" pages={PAGES.filter(({ path }) => !path.startsWith(FORMAT_PAGES))} go={go} />
        <PageList title="What is read" pages={PAGES.filter(({ path }) => path.startsWith(FORMAT_PAGES))} go={go} />
      </section>
    </>
  );
}

function Questions({ open, page, close }: { open: OpenTrace } & DialogProps) {
  const starts = useSignal<readonly Start[]>([]);
  useEffect(() => {
    loadStarts(page).then(
      (all) => {
        starts.value = all;
      },
      () => undefined,
    );
  }, [page]);
  const isLoading = open.trace.status.value.at === 'loading';
  return (
    <dl class="help-questions">
      {askedOf(starts.value, open, page).map(({ start, asked }) => (
        <div key={start.id}>
          <dt>
            <button
              type="button"
              class="plain help-link"
              disabled={isLoading}
              onClick={() => {
                close();
                start.answer(open, page);
              }}
            >
              {asked.words}
            </button>
          </dt>
          <dd>
            <MarkedText text={asked.way} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The words of every trace, and of a format; without one, of all formats. */
function Glossary({ format, go }: { format: string | null; go: GoTo }) {
  return (
    <Loaded path={WORDS}>
      {(blocks) => (
        <div class="help-document">
          <DocumentView blocks={wordsOf(blocks, format)} go={go} />
        </div>
      )}
    </Loaded>
  );
}

/** The parts of the page of words about a format, before those about every trace. */
export function wordsOf(blocks: readonly Block[], format: string | null): readonly Block[] {
  const parts: Block[][] = [];
  for (const block of blocks) {
    if ('heading' in block && block.level === 2) parts.push([]);
    parts.at(-1)?.push(block);
  }
  const titleOf = ([first]: Block[]) => (first && 'heading' in first ? plainText(first.heading) : '');
  const others = FORMATS.map(({ name }) => name).filter((name) => format !== null && name !== format);
  const shown = parts.filter((part) => !others.includes(titleOf(part)));
  return shown.sort((a, b) => Number(titleOf(b) === format) - Number(titleOf(a) === format)).flat();
}

interface ListProps {
  readonly title: string;
  readonly pages: typeof PAGES;
  readonly go: GoTo;
}

function PageList({ title, pages, go }: ListProps) {
  return (
    <>
      <h3>{title}</h3>
      <ul class="help-pages">
        {pages.map(({ path, title }) => (
          <li key={path}>
            <button type="button" class="plain help-link" onClick={() => go(path)}>
              {title}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** A page of the documentation, from a heading on: `names#lists-of-names`. */
function Reading({ at, go }: { at: string; go: GoTo }) {
  const [path = '', heading] = at.split('#');
  return (
    <Loaded path={path}>
      {(blocks) => (
        <article
          class="help-document"
          ref={(element) =>
            (heading === undefined ? element : document.getElementById(`docs-${heading}`))?.scrollIntoView()
          }
        >
          <DocumentView blocks={blocks} go={go} />
        </article>
      )}
    </Loaded>
  );
}

interface LoadedProps {
  readonly path: string;
  readonly children: (blocks: readonly Block[]) => preact.ComponentChildren;
}

function Loaded({ path, children }: LoadedProps) {
  const blocks = useSignal<readonly Block[] | null>(null);
  const hasFailed = useSignal(false);
  const load = () => {
    hasFailed.value = false;
    const found = PAGES.find((page) => page.path === path);
    Promise.resolve(found?.load()).then(
      (module) => {
        blocks.value = module?.BLOCKS ?? [];
      },
      () => {
        hasFailed.value = true;
      },
    );
  };
  useEffect(load, [path]);
  if (blocks.value) return <>{children(blocks.value)}</>;
  if (!hasFailed.value) return null;
  return (
    <p class="muted" role="alert">
      This part of the documentation could not be loaded.{' '}
      <button type="button" onClick={load}>
        Try again
      </button>
    </p>
  );
}
