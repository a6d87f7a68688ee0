import { useEffect, useRef } from 'preact/hooks';
import { formatBytes, formatCount } from '../base/format.ts';
import type { Archive } from '../base/protocol.ts';
import type { Trace } from '../trace/trace.ts';
import './entries.css';

/** The traces of an archive, to choose one of them. */
export function Entries({ trace, archive }: { trace: Trace; archive: Archive }) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.querySelector('button')?.focus(), []);
  const { entries, others, container, remark } = archive;
  const left = others === 0 ? '' : ` and ${others === 1 ? 'one other file' : `${formatCount(others)} other files`}`;
  /** Moves the focus, so that a long list needs no tab key. */
  const move = (event: KeyboardEvent) => {
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    const next = to === undefined ? undefined : buttons[to];
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <main class="entries">
      <div class="entries-inner">
        <h2>Choose a trace</h2>
        <p class="muted">
          This {container} archive holds {formatCount(entries.length)} traces{left}.
        </p>
        {remark !== '' && <p class="warning-text">{remark}</p>}
        <ul ref={list} onKeyDown={move}>
          {entries.map(({ entry, name, size, format }) => (
            <li key={entry}>
              <button type="button" onClick={() => trace.choose(entry)}>
                <b>{name}</b>
                <span class="muted">
                  {format}
                  {size !== null && ` · ${formatBytes(size)}`}
                </span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </main>
  );
}
