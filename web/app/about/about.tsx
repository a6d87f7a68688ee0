import { COMMIT, VERSION } from 'virtual:about';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { formatCount, formatCounted } from '../../base/format.ts';
import { ONE_FILE, sampleWithin } from '../../base/one_file.ts';
import { listSpools, sweepSpools } from '../../base/spools.ts';
import { runCommand } from '../../page/commands.ts';
import type { DialogProps } from '../../page/page.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { differing, HASHES, type Hashed, hashOf, LICENCES, parseHashes } from './hashes.ts';
import { copiesKept, temporaryFiles } from './kept.ts';
import './about.css';

/** Version, commit, licences, and the hashes of the files that the page consists of. */
export function About({ page, close }: DialogProps) {
  return (
    <Dialog class="about" title="about-title" close={close}>
      <div class="about-inner column">
        <h2 id="about-title">Unspool {VERSION}</h2>
        <p>
          Commit <code>{COMMIT}</code>
        </p>
        <p>
          MIT or Apache-2.0. <Licences />
        </p>
        <p class="muted">Files are read in this tab. Nothing is uploaded.</p>
        <h3>Files of this page</h3>
        {ONE_FILE ? (
          <p class="muted">This page is one file. SHA256SUMS of its release has the hash of unspool.html.</p>
        ) : (
          <Files />
        )}
        {!ONE_FILE && <Kept page={page} />}
        <div class="row">
          <button type="button" onClick={() => runCommand(page, 'copy-report')}>
            Copy report…
          </button>
          <button type="button" onClick={close}>
            Close
          </button>
        </div>
      </div>
    </Dialog>
  );
}

/** The private files of the origin, in numbers. Notes and recent files are listed where they are used. */
function Kept({ page: { copies } }: Pick<DialogProps, 'page'>) {
  const sizes = useSignal<readonly (number | null)[] | null>(null);
  const load = async () => {
    await sweepSpools();
    await copies.load();
    sizes.value = await listSpools();
  };
  useEffect(() => void load(), []);
  return (
    <>
      <h3>Kept in this browser</h3>
      {sizes.value && (
        <p class="muted">
          {copiesKept(copies.list.value)} {temporaryFiles(sizes.value)}
        </p>
      )}
    </>
  );
}

/** A link to the licences. The page in one file has them within it. */
function Licences() {
  const address = useSignal(ONE_FILE ? '' : LICENCES);
  useEffect(() => {
    if (!ONE_FILE) return undefined;
    const url = URL.createObjectURL(new Blob([sampleWithin(LICENCES)], { type: 'text/plain;charset=utf-8' }));
    address.value = url;
    return () => URL.revokeObjectURL(url);
  }, []);
  if (address.value === '') return null;
  return (
    <a href={address.value} target="_blank" rel="noreferrer" {...(ONE_FILE ? { download: LICENCES } : {})}>
      Licences of everything in this page
    </a>
  );
}

/** What is known of the files. */
interface Known {
  readonly list: readonly Hashed[];
  /** The hash of the list itself. */
  readonly hash: string;
}

function Files() {
  const known = useSignal<Known | null>(null);
  const told = useSignal('');
  const checking = useSignal(false);
  const load = async () => {
    const bytes = await fetched(HASHES);
    // Only secure contexts compute hashes.
    if (!bytes || !crypto.subtle)
      told.value = `The hashes are not available: ${bytes ? 'this page needs HTTPS for them' : `${HASHES} could not be loaded`}.`;
    else known.value = { list: parseHashes(new TextDecoder().decode(bytes)), hash: await hashOf(bytes) };
  };
  useEffect(() => void load(), []);
  const check = async ({ list }: Known) => {
    checking.value = true;
    const wrong = await differing(list, fetched, (count) => {
      told.value = `${formatCount(count)} of ${formatCounted(list.length, 'file')}…`;
    });
    checking.value = false;
    told.value =
      wrong.length === 0
        ? `All ${formatCounted(list.length, 'file')} have the hashes of the list.`
        : `${formatCounted(wrong.length, 'file')} of ${formatCount(list.length)} differ from the list: ${wrong.join(', ')}`;
  };
  const now = known.value;
  return (
    <>
      {now && (
        <>
          <p class="muted">
            {formatCounted(now.list.length, 'file')}. The list of their hashes,{' '}
            <a href={HASHES} target="_blank" rel="noreferrer">
              {HASHES}
            </a>
            , has this SHA-256, which SHA256SUMS of a release lists, too.
          </p>
          <p>
            <code class="about-hash">{now.hash}</code>
          </p>
          <div class="row">
            <button type="button" disabled={checking.value} onClick={() => void check(now)}>
              Check files
            </button>
          </div>
          <details>
            <summary>{formatCounted(now.list.length, 'hash')}</summary>
            <textarea
              class="about-text"
              readOnly
              rows={14}
              aria-label="Hashes of the files"
              value={now.list.map(({ path, hash }) => `${hash}  ${path}`).join('\n')}
            />
          </details>
        </>
      )}
      <p class="muted" role="status">
        {told.value}
      </p>
    </>
  );
}

/** The bytes of a file of the page; null if it cannot be loaded. */
async function fetched(path: string): Promise<ArrayBuffer | null> {
  try {
    const response = await fetch(path);
    return response.ok ? await response.arrayBuffer() : null;
  } catch {
    return null;
  }
}
