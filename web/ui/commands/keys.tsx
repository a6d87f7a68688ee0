import { Dialog } from '../parts/dialog.tsx';
import { SHEET, type SheetRow } from './sheet.ts';
import './keys.css';

/** The sheet of all keys and gestures, as a modal dialog. `close` is called when the person closes it. */
export function KeysDialog({ close }: { close: () => void }) {
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
          {SHEET.map((group) => (
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
