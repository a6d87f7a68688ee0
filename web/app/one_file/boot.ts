/*
 * The script that the page in one file begins with. The build writes it into the page, and the files as `<script type="text/plain"
 * data-file="NAME" data-size="BYTES">`, compressed with gzip, as the text that `textOf` in building.ts makes.
 */

const scripts: Record<string, string> = {};
const packed: Record<string, Blob> = {};
const elements = [...document.querySelectorAll<HTMLScriptElement>('script[data-file]')];
await Promise.all(
  elements.map(async (element) => {
    const { file: name = '', size } = element.dataset;
    const blob = new Blob([bytesOf(element.textContent, Number(size))]);
    element.remove();
    if (!name.endsWith('.js')) packed[name] = blob;
    else scripts[name] = await new Response(blob.stream().pipeThrough(new DecompressionStream('gzip'))).text();
  }),
);
/** Seven bits of each character. What is beyond `size` only completes the last byte. */
function bytesOf(text: string, size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let [value, bits, at] = [0, 0, 0];
  for (let i = 0; i < text.length; i += 1) {
    value = (value << 7) | (text.charCodeAt(i) & 127);
    bits += 7;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at] = value >> bits;
    at += 1;
  }
  return bytes;
}

globalThis.unspoolContents = { scripts, packed };
const page = new Blob([scripts['page.js'] ?? ''], { type: 'text/javascript' });
await import(URL.createObjectURL(page));

export {};
