import type { Page } from '../../page/page.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { type SheetRow, sheetOf } from './sheet.ts';
import './keys.css';

interface Props {
  readonly page: Page;
  /** Whether the keys that walk through steps can do something, or could with another trace. */
  readonly canWalk: boolean;
  /** The user closes the sheet. */
  readonly close: () => void;
}

/** The sheet of keys and gestures, as a modal dialog. */
export function KeysDialog({ page, canWalk, close }: Props) {
  return (
    <Dialog class="keys" title="keys-title" close={close}>
      <div class="keys-inner">
        <header class="keys-head">
          {/* The browser scrolls to the focus, which belongs at the top. */}
          <h2 id="keys-title" tabIndex={-1} autofocus>
            Keys
          </h2>
          <button type="button" onClick={close}>
            Close
          </button>
        </header>
        <div class="keys-groups">
          {sheetOf(page)
            .filter(({ ofSteps }) => !ofSteps || canWalk)
            .map((group) => (
              <section key={group.title}>
                <h3>{group.title}</h3>
                <dl>
                  {group.rows.map((row, i) => (
                    <div key={i}>
                      <dt>
                        <RowKeys row={row} />
                      </dt>
                      <dd>{row.does}</dd>
                    </div>
                  ))}
                </dl>
              </section>
            ))}
        </div>
      </div>
    </Dialog>
  );
}

function RowKeys({ row }: { row: SheetRow }) {
  return (
    <>
      {row.keys.map((chords, alternative) => (
        <span key={alternative}>
          {alternative > 0 && 'or '}
          {chords.map((keys) => (
            <span key={keys.join(' ')} class="chord">
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </span>
          ))}
        </span>
      ))}
    </>
  );
}
