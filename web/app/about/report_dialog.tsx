import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { DialogProps } from '../../page/page.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { reportOf } from './report.ts';
import './about.css';

/** Shows the report of what has failed, before it is copied. */
export function ReportDialog({ page, close }: DialogProps) {
  const report = useMemo(() => reportOf(page.workbench), []);
  const told = useSignal('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(report);
      told.value = 'Copied';
    } catch {
      told.value = 'The browser denied access. Select the text and copy it.';
    }
  };
  return (
    <Dialog class="about" title="report-title" close={close}>
      <div class="about-inner column">
        <h2 id="report-title">Report</h2>
        <p>
          This is all that is copied. It has no names of files and no paths, and nothing is sent: paste it where you
          report the failure, with what you did before.
        </p>
        <textarea class="about-text" readOnly rows={14} aria-label="Text of the report" value={report} />
        <div class="row">
          <button type="button" class="primary" onClick={() => void copy()}>
            Copy report
          </button>
          <button type="button" onClick={close}>
            Close
          </button>
          <span class="muted" role="status">
            {told.value}
          </span>
        </div>
      </div>
    </Dialog>
  );
}
