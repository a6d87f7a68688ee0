/*
 * The script that the page in one file begins with. The build writes it into the page, and before it all other files in one element:
 * `<script type="text/plain" data-files="NAME:BYTES NAME:BYTES…" data-size="BYTES">`.
 */

import { bytesOf, withoutCopies } from './unpacking.ts';

const element = document.querySelector<HTMLScriptElement>('script[data-files]')!;
const { files = '', size } = element.dataset;
const compressed = new Blob([bytesOf(element.textContent, Number(size))]);
element.remove();
const packed = await new Response(compressed.stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
const sizes = files.split(' ').map((file) => {
  const [name = '', bytes] = file.split(':');
  return { name, size: Number(bytes) };
});
const all = withoutCopies(
  new Uint8Array(packed),
  sizes.reduce((sum, file) => sum + file.size, 0),
);
const scripts: Record<string, string> = {};
const rest: (readonly [name: string, bytes: Uint8Array<ArrayBuffer>])[] = [];
let at = 0;
for (const { name, size } of sizes) {
  const bytes = all.subarray(at, at + size);
  at += size;
  if (name.endsWith('.js')) scripts[name] = new TextDecoder().decode(bytes);
  else rest.push([name, bytes]);
}
let others: Record<string, Blob> | undefined;
globalThis.unspoolContents = {
  scripts,
  // The page is there before the first worker needs them.
  get others() {
    others ??= Object.fromEntries(
      rest.splice(0).map(([name, bytes]) => {
        return [name, new Blob([bytes], { type: name.endsWith('.wasm') ? 'application/wasm' : '' })];
      }),
    );
    return others;
  },
};
const page = new Blob([scripts['page.js'] ?? ''], { type: 'text/javascript' });
await import(URL.createObjectURL(page));
