import { expect, it } from 'vitest';
import { openSource, openStream } from './source.ts';

it('is refused by a DOMException if the file has changed since it was looked at', async () => {
  const file = new Blob(['abcd']);
  // As in Chromium.
  const pull = (controller: ReadableByteStreamController) => controller.error(new TypeError('network error'));
  file.stream = () => new ReadableStream({ type: 'bytes', pull });
  const refused = { name: 'NotReadableError', message: 'TypeError: network error' };
  await expect(openSource(file, 0).take(4)).rejects.toMatchObject(refused);
  await expect(openStream(file, 0).next(4)).rejects.toBeInstanceOf(DOMException);
});
