import type { Command, LoadDialog, Page } from '../../page/page.ts';

const loadAbout: LoadDialog = async () => (await import('./about.tsx')).About;
const loadReport: LoadDialog = async () => (await import('./report_dialog.tsx')).ReportDialog;

/** Opens the dialog with version, licences and hashes. */
export function showAbout({ dialog }: Page): void {
  dialog.value = loadAbout;
}

/** Opens the dialog with a report of what has failed. */
export function showReport({ dialog }: Page): void {
  dialog.value = loadReport;
}

/** What is about the page itself. Added to its commands once it is idle. */
export const ABOUT_COMMANDS: readonly Command[] = [
  {
    id: 'about',
    title: 'About Unspool: version, licences, hashes',
    keys: [],
    enabled: () => true,
    run: ({ page }) => showAbout(page),
  },
  {
    id: 'copy-report',
    title: 'Copy report for a bug…',
    keys: [],
    enabled: () => true,
    run: ({ page }) => showReport(page),
  },
];
