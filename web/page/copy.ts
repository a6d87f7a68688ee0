import type { Page } from './page.ts';

/** Puts a text into the clipboard, or tells the user that the browser does not allow it. */
export function copyText({ workbench }: Page, text: string): void {
  navigator.clipboard.writeText(text).catch(() => workbench.warn('The browser denied access to the clipboard.'));
}
