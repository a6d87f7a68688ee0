import type { Copy } from '../../base/copies_protocol.ts';
import { formatBytes, shortened } from '../../base/format.ts';
import type { Copies } from '../../page/copies.ts';
import type { Recent, RecentFile } from '../../page/recent.ts';
import type { Workbench } from '../../page/workbench.ts';

interface Props {
  readonly recent: Recent;
  readonly copies: Copies;
  readonly workbench: Workbench;
}

/** Files that were opened lately. The browser asks before it reads one again, but has copies of some itself. */
export function RecentFiles({ recent, copies, workbench }: Props) {
  const files = recent.files.value;
  const kept = copies.list.value;
  const openCopy = async (copy: Copy) => {
    workbench.warm();
    const found = await copies.open(copy);
    if (found) await workbench.openFiles(found);
    else workbench.warn(`The browser has deleted its copy of ${shortened(copy.name)}.`);
  };
  const open = async (entry: RecentFile) => {
    workbench.warm();
    for (const [one, purpose] of [
      [entry, 'open'],
      [entry.other, 'compare'],
    ] as const) {
      const files = one && (await recent.open(one));
      if (files) await workbench.openFiles(files, purpose);
      else if (one) {
        workbench.warn(`${shortened(one.name)} could not be read: it was moved or deleted, or access was denied.`);
        return;
      }
    }
  };
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">Recent files</h2>
      <ul class="recent">
        {kept.map((copy) => (
          <li key={copy.id}>
            <button type="button" class="plain recent-file grow" onClick={() => void openCopy(copy)}>
              <b>{shortened(copy.name)}</b>
              <span class="muted">
                {copy.format} · {formatBytes(copy.bytes)} · copy in this browser
              </span>
            </button>
            <button
              type="button"
              class="plain"
              aria-label={`Delete the copy of ${shortened(copy.name)}`}
              title="Delete the copy"
              onClick={() => void copies.remove(copy)}
            >
              Delete
            </button>
          </li>
        ))}
        {files.map((entry) => (
          <li key={`${entry.name} ${entry.openedAt}`}>
            <button type="button" class="plain recent-file grow" onClick={() => void open(entry)}>
              <b>{nameOf(entry)}</b>
              <span class="muted">
                {entry.format} · {formatBytes(entry.size + (entry.other?.size ?? 0))}
              </span>
            </button>
            <button
              type="button"
              class="plain icon"
              aria-label={`Remove ${nameOf(entry)} from the list`}
              title="Remove from the list"
              onClick={() => void recent.remove(entry)}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      {files.length > 0 && (
        <p class="muted small">
          The list is kept in this browser.
          <button type="button" class="plain" onClick={() => void recent.removeAll()}>
            Clear
          </button>
        </p>
      )}
    </section>
  );
}

/** The file's name, and that of what it was compared with. */
function nameOf({ name, other }: RecentFile): string {
  return other ? `${shortened(name)} and ${shortened(other.name)}, compared` : shortened(name);
}
