import { createScope, type Dispose } from '../base/scope.ts';
import type { Page } from '../page/page.ts';
import { isTyping, targetOf } from './commands/keyboard.ts';
import { droppedFiles } from './files.ts';

/** Opens files, traces and links that are pasted anywhere but in a field, until disposed. Files are opened there, too. */
export function listenForPastes({ workbench, recent }: Page): Dispose {
  const scope = createScope();
  scope.listen<ClipboardEvent>(window, 'paste', (event) => {
    const { clipboardData: data } = event;
    if (!data || event.defaultPrevented) return;
    const files = droppedFiles(data, recent);
    const text = data.getData('text/plain');
    if (files.length > 0) void workbench.openFiles(files, 'drop');
    else if (text === '' || isTyping(targetOf(event))) return;
    else void import('./pasted.ts').then(({ followPasted }) => followPasted(text, workbench));
    event.preventDefault();
  });
  return scope.dispose;
}
