import { afterEach, expect, test, vi } from 'vitest';
import { RecordFile } from './record_file.ts';

afterEach(() => vi.unstubAllGlobals());

/** Bytes from 0 up, in a file whose synchronous reads are counted. */
function counted(size: number) {
  const bytes = Uint8Array.from({ length: size }, (_, i) => i);
  const reads: number[] = [];
  vi.stubGlobal(
    'FileReaderSync',
    class {
      readAsArrayBuffer(part: Blob) {
        reads.push(part.size);
        return bytes.slice(0, part.size).buffer;
      }
    },
  );
  return { file: new RecordFile(new Blob([bytes])), reads };
}

test('a file that is kept is not read again', async () => {
  const { file, reads } = counted(100);
  file.read(0, 10);
  expect(reads).toEqual([10]);
  await file.keep();
  expect([...(file.read(90, 110) ?? [])]).toEqual([90, 91, 92, 93, 94, 95, 96, 97, 98, 99]);
  expect(file.read(100, 110)).toHaveLength(0);
  expect(reads).toEqual([10]);
});

test('a large file is not kept', async () => {
  const { reads } = counted(100);
  const large = new Blob(['x']);
  Object.defineProperty(large, 'size', { value: 64 * 1024 * 1024 + 1 });
  const whole = vi.spyOn(large, 'arrayBuffer');
  const file = new RecordFile(large);
  await file.keep();
  file.read(0, 1);
  expect(whole).not.toHaveBeenCalled();
  expect(reads).toEqual([1]);
});

test('a file that cannot be kept is read as before', async () => {
  const { file, reads } = counted(100);
  vi.spyOn(Blob.prototype, 'arrayBuffer').mockRejectedValueOnce(new Error('gone'));
  await file.keep();
  expect(file.read(0, 10)).toHaveLength(10);
  expect(reads).toEqual([10]);
});

test('long reads are remembered for other passes', async () => {
  const { file, reads } = counted(4 * 1024 * 1024);
  file.recent = 1;
  const first = file.read(0, 2 * 1024 * 1024);
  const before = reads.length;
  expect(file.read(100, 2 * 1024 * 1024)).toHaveLength(first!.length - 100);
  expect(reads).toHaveLength(before);
  file.forget();
  file.read(100, 2 * 1024 * 1024);
  expect(reads.length).toBeGreaterThan(before);
});
