import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';

let folder: string;
let server: ChildProcessByStdio<null, Readable, null>;
let port: number;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'serve-'));
  writeFileSync(join(folder, 'index.html'), 'the page');
  const script = join(import.meta.dirname, '../scripts/serve.mjs');
  server = spawn(process.execPath, [script, '--dir', folder, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: server.stdout });
  const [line] = await new Promise<[string]>((resolve) => lines.once('line', (text: string) => resolve([text])));
  port = Number(new URL(line).port);
});

afterAll(() => {
  server.kill();
  rmSync(folder, { recursive: true });
});

/** The bytes that the server answers with, as text. `isOver`: the client sends no more, which ends a connection that has no whole request. */
function answer(request: Buffer, isOver = false): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
    if (isOver) socket.end(request);
    else socket.write(request);
  });
}

const get = (path: string) => answer(Buffer.from(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`));

it('answers what names no file, and goes on', async () => {
  for (const path of [
    '/index.html/x',
    '/index.html/',
    '/%00',
    '/%ff',
    '/..%2f..%2fetc%2fpasswd',
    `/${'a/'.repeat(3000)}`,
  ])
    expect(await get(path), path).toMatch(/^HTTP\/1\.1 40[04] /);
  expect(await get('/')).toContain('the page');
});

/** Bytes that mean something in a request; null stands for any byte. */
const BYTES = [47, 37, 46, 13, 10, 0, 32, null];

it('goes on after any request', async () => {
  let seed = 1;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
  const whole = 'GET /index.html?a#b HTTP/1.1\r\nHost: a\r\nRange: bytes=0-1\r\nConnection: close\r\n\r\n';
  for (let count = 0; count < 500; count += 1) {
    let request = Buffer.from(whole);
    for (let change = random(4); change >= 0; change -= 1) {
      const place = random(request.length + 1);
      const [head, rest] = [request.subarray(0, place), request.subarray(place)];
      const byte = Buffer.from([BYTES[random(BYTES.length)] ?? random(256)]);
      const kind = random(4);
      if (kind === 0) request = Buffer.concat([head, byte, rest]);
      else if (kind === 1) request = Buffer.concat([head, byte, rest.subarray(1)]);
      else request = kind === 2 ? Buffer.concat([head, rest.subarray(1)]) : Buffer.from(head);
    }
    await answer(request, true);
  }
  expect(await get('/index.html')).toContain('the page');
});
