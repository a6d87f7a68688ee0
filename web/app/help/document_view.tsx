import type { ComponentChildren } from 'preact';
import type { Block, Inline } from './document.ts';

/** Goes to a page of the documentation, or a heading of it: `names#lists-of-names`. */
export type GoTo = (to: string) => void;

/** A document. */
export function DocumentView({ blocks, go }: { readonly blocks: readonly Block[]; readonly go: GoTo }) {
  return (
    <>
      {blocks.map((block, i) => (
        <BlockView key={i} block={block} go={go} />
      ))}
    </>
  );
}

function BlockView({ block, go }: { block: Block; go: GoTo }): ComponentChildren {
  if ('heading' in block) {
    const words = <Words parts={block.heading} go={go} />;
    const id = `docs-${block.id}`;
    if (block.level === 1) return <h2 id={id}>{words}</h2>;
    if (block.level === 2) return <h3 id={id}>{words}</h3>;
    return <h4 id={id}>{words}</h4>;
  }
  if ('text' in block) {
    return (
      <p>
        <Words parts={block.text} go={go} />
      </p>
    );
  }
  if ('code' in block) {
    return (
      <pre>
        <code>{block.code}</code>
      </pre>
    );
  }
  if ('image' in block && block.image === '') return <p class="muted">{block.says}</p>;
  if ('image' in block) return <img src={block.image} alt={block.says} loading="lazy" />;
  if ('items' in block) {
    const items = block.items.map((item, i) => (
      <li key={i}>
        <DocumentView blocks={item} go={go} />
      </li>
    ));
    return block.isOrdered ? <ol>{items}</ol> : <ul>{items}</ul>;
  }
  return <TableView head={block.head} rows={block.rows} go={go} />;
}

interface TableProps {
  readonly head: readonly (readonly Inline[])[];
  readonly rows: readonly (readonly (readonly Inline[])[])[];
  readonly go: GoTo;
}

/** A table; its head is left out if it is empty. */
function TableView({ head, rows, go }: TableProps) {
  return (
    <div class="help-table">
      <table>
        {head.some((cell) => cell.length > 0) && (
          <thead>
            <tr>
              {head.map((cell, i) => (
                <th key={i} scope="col">
                  <Words parts={cell} go={go} />
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, k) => (
                <td key={k}>
                  <Words parts={cell} go={go} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Words({ parts, go }: { parts: readonly Inline[]; go: GoTo }): ComponentChildren {
  return parts.map((part, i) => {
    if (typeof part === 'string') return part;
    if ('code' in part) return <code key={i}>{part.code}</code>;
    if ('bold' in part)
      return (
        <b key={i}>
          <Words parts={part.bold} go={go} />
        </b>
      );
    if ('italic' in part)
      return (
        <em key={i}>
          <Words parts={part.italic} go={go} />
        </em>
      );
    const words = <Words parts={part.link} go={go} />;
    if (/^https?:/.test(part.to)) {
      return (
        <a key={i} href={part.to} target="_blank" rel="noreferrer">
          {words}
        </a>
      );
    }
    return (
      <button key={i} type="button" class="plain help-link" onClick={() => go(part.to)}>
        {words}
      </button>
    );
  });
}
