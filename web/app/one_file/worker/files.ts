/*
 * What each worker of the page in one file begins with. What it fetches are wasm modules within the page, which its first message brings.
 */

import { type FilesMessage, fileWithin, WITHIN } from '../../../base/one_file.ts';

const files = new Promise<FilesMessage['unspoolFiles']>((resolve) => {
  addEventListener('message', function hear(event: MessageEvent<FilesMessage>) {
    removeEventListener('message', hear);
    // Not for the module.
    event.stopImmediatePropagation();
    resolve(event.data.unspoolFiles);
  });
});

const { fetch } = globalThis;
globalThis.fetch = async (input, init) => {
  const address = input instanceof Request ? input.url : String(input);
  if (!address.startsWith(WITHIN)) return fetch(input, init);
  return new Response(fileWithin(await files, address.slice(WITHIN.length)));
};
