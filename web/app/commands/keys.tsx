import type { Page } from '../../page/page.ts';
import { addTraceCommands } from './commands.ts';
import { type SheetRow, sheetOf } from './sheet.ts';
import './keys.css';

interface Props {
  readonly page: Page;
  /** Whether the keys that walk through steps can do something, or could with another trace. */
  readonly canWalk: boolean;
}

/** The sheet of keys and gestures. */
export function Keys({ page, canWalk }: Props) {
  // Before a trace is open, its keys are on the sheet, too.
  addTraceCommands(page);
  return (
    <div class="keys keys-groups">
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
