import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { test as base, expect, type Page } from '@playwright/test';
import { digest, fixture, header, notice, open, pictured, plain, settled, test } from './page.ts';

const DIST = join(import.meta.dirname, '../../dist');
const NATIVE = join(import.meta.dirname, '../../target/debug/unspool');
const TOKEN = '0123456789abcdef0123456789abcdef';
/** Bytes of an answer beyond which it is one that the whole trace is read from. */
const LONG = 256 << 10;
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
};

/** A host of the page and of files, like that of `unspool open`, that can break off and be silent. */
interface Host {
  readonly url: string;
  /** Bytes of files that were sent. */
  sent: number;
  /** The offset at which long answers break off. Those from there on have no byte. */
  limit: number;
  /** The version of the files. */
  tag: string;
  stop(): void;
}

async function hostOf(...paths: readonly string[]): Promise<Host> {
  const sendPart = (path: string, request: IncomingMessage, response: ServerResponse) => {
    const all = readFileSync(path);
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '')!;
    const part = all.subarray(Number(from), to === '' ? all.length : Number(to) + 1);
    const isLong = part.length > LONG;
    if (isLong && Number(from) >= host.limit) return void response.destroy();
    const version = request.headers['if-range'];
    const isOther = version !== undefined && version !== host.tag;
    response.writeHead(isOther ? 200 : 206, {
      etag: host.tag,
      'content-length': isOther ? all.length : part.length,
      ...(isOther ? {} : { 'content-range': `bytes ${from}-${Number(from) + part.length - 1}/${all.length}` }),
    });
    const sent = (isOther ? all : part).subarray(0, isLong ? host.limit - Number(from) : all.length);
    host.sent += sent.length;
    if (sent.length >= part.length) response.end(sent);
    else response.write(sent, () => setTimeout(() => response.destroy(), 100));
  };
  const server = createServer((request, response) => {
    const path = new URL(request.url!, 'http://localhost').pathname.slice(1);
    const file = join(DIST, path === '' ? 'index.html' : path);
    if (path === `${TOKEN}/`) {
      const files = paths.map((it) => ({ name: basename(it), size: statSync(it).size, tag: host.tag, modified: 0 }));
      return response.end(JSON.stringify({ compare: false, files }));
    }
    if (path === `${TOKEN}/alive`) return response.write('\n');
    const served = path.startsWith(`${TOKEN}/`) && paths[Number(path.slice(TOKEN.length + 1))];
    if (served) return sendPart(served, request, response);
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return response.writeHead(404).end();
    return response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? '' }).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host: Host = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/?open=${TOKEN}`,
    sent: 0,
    limit: Number.POSITIVE_INFINITY,
    tag: '"1"',
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return host;
}

const areaOf = (page: Page, at: 'A' | 'B') => page.getByRole('application', { name: `Timeline of ${at}, ` });
const loaded = async (page: Page) => plain((await page.locator('.loaded').textContent()) ?? '');

for (const name of [
  'threads.xray',
  'scene.trace',
  'frames/calls.frames',
  'trace_db/variables.trace',
  'rvn/blocks.sqlite',
  'containers/threads.xray.zst',
]) {
  test(`reads ${name} by ranges as if it were dropped`, { tag: '@network' }, async ({ page }) => {
    const path = fixture(name);
    await open(page, path);
    const dropped = await digest(page);
    const host = await hostOf(path);
    try {
      await page.goto(host.url);
      await settled(page, 'ready', basename(path));
      await pictured(page);
      expect(await digest(page)).toBe(dropped);
      await expect.poll(() => loaded(page)).toMatch(/^[\d.]+ .?B loaded$/);
      expect(host.sent).toBeGreaterThanOrEqual(Math.min(statSync(path).size, 65_536));
    } finally {
      host.stop();
    }
  });
}

test('reads a trace in an archive by ranges', { tag: '@network' }, async ({ page }) => {
  await open(page, fixture('threads.xray'));
  const bare = await digest(page);
  const host = await hostOf(fixture('containers/traces.zip'));
  try {
    await page.goto(host.url);
    await page.getByRole('button', { name: 'threads.xray' }).click();
    await settled(page, 'ready', 'threads.xray');
    expect(await digest(page)).toBe(bare);
  } finally {
    host.stop();
  }
});

/** A log of 2 MB: the buffers of a fixture over and over. */
function largeLog(): string {
  const one = readFileSync(fixture('threads.xray'));
  const buffers = one.subarray(32);
  const path = join(mkdtempSync(join(tmpdir(), 'unspool-served-')), 'large.xray');
  const times = Math.ceil(2_000_000 / buffers.length);
  writeFileSync(path, Buffer.concat([one.subarray(0, 32), ...Array.from({ length: times }, () => buffers)]));
  return path;
}

test('waits when the server goes away, and goes on where it was', { tag: '@network' }, async ({ page }) => {
  const path = largeLog();
  await open(page, path);
  const dropped = await digest(page);
  const host = await hostOf(path);
  try {
    host.limit = 700_000;
    await page.goto(host.url);
    const line = notice(page).getByText('does not answer any more');
    await expect(line).toContainText(/ of [\d.]+\sMB were read/);
    // What was read is there.
    await pictured(page);
    const goOn = notice(page).getByRole('button', { name: 'Go on' });
    await goOn.click();
    await expect(line).toBeHidden();
    // It tries, and says so again.
    await expect(line).toBeVisible();
    host.limit = Number.POSITIVE_INFINITY;
    await goOn.click();
    await settled(page, 'ready', 'large.xray');
    await expect(line).toBeHidden();
    expect(await digest(page)).toBe(dropped);
    const { size } = statSync(path);
    // Nothing that had arrived was loaded again, but for the ends by which it is recognised and remembered.
    expect(host.sent).toBeLessThanOrEqual(size + 3 * 65_536);
    await expect.poll(() => loaded(page)).toMatch(/^2\.\d+ MB loaded$/);
  } finally {
    host.stop();
  }
});

test('stops waiting for a server that has gone', { tag: '@network' }, async ({ page }) => {
  const host = await hostOf(largeLog());
  try {
    host.limit = 700_000;
    await page.goto(host.url);
    await expect(notice(page).getByText('does not answer any more')).toBeVisible();
    await header(page).getByRole('button', { name: 'Cancel' }).click();
    await settled(page, 'ready', 'large.xray');
    await expect(notice(page).getByText('does not answer any more')).toBeHidden();
  } finally {
    host.stop();
  }
});

test('?url= reads by ranges where the host offers them, and says how much', { tag: '@network' }, async ({ page }) => {
  const path = largeLog();
  writeFileSync(
    path,
    Buffer.concat([readFileSync(path), readFileSync(path).subarray(32), readFileSync(path).subarray(32)]),
  );
  await open(page, path);
  const dropped = await digest(page);
  const host = await hostOf(path);
  try {
    await page.goto(host.url.replace(/open=.*/, `url=${TOKEN}/0`));
    await settled(page, 'ready', '0');
    expect(await digest(page)).toBe(dropped);
    await expect.poll(() => loaded(page)).toMatch(/ MB loaded$/);
  } finally {
    host.stop();
  }
});

test('says that the file has changed on the server', { tag: '@network' }, async ({ page }) => {
  const host = await hostOf(fixture('threads.xray'));
  try {
    await page.route(`**/${TOKEN}/`, async (route) => {
      const response = await route.fetch();
      host.tag = '"2"';
      await route.fulfill({ response });
    });
    await page.goto(host.url);
    await settled(page, 'failed', 'threads.xray');
    await expect(page.getByRole('alert')).toContainText('has changed since it was opened');
  } finally {
    host.stop();
  }
});

/** `unspool open` with a page that is built. */
async function native(...args: readonly string[]): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(NATIVE, ['open', '--no-browser', '--port', '0', '--page', DIST, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve) => createInterface(child.stdout!).once('line', resolve));
  return { child, url };
}

const has = existsSync(NATIVE) && statSync(NATIVE).size > 0;

base.describe('unspool open', () => {
  base.skip(!has, 'target/debug/unspool is missing: cargo build -p unspool-cli');

  test('opens a trace from the terminal, survives a reload, and ends after its tab', { tag: '@network' }, async ({
    page,
  }) => {
    const path = fixture('threads.xray');
    await open(page, path);
    const dropped = await digest(page);
    const { child, url } = await native(path);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    try {
      const errors: string[] = [];
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      await page.goto(url);
      await settled(page, 'ready', 'threads.xray');
      expect(await digest(page)).toBe(dropped);

      await page.reload();
      await settled(page, 'ready', 'threads.xray');
      expect(await digest(page)).toBe(dropped);
      expect(errors).toEqual([]);
      await page.goto('about:blank');
      expect(await ended).toBe(0);
    } finally {
      child.kill();
    }
  });

  test('compares two traces from the terminal in their order', { tag: '@network' }, async ({ page }) => {
    const { child, url } = await native('--compare', fixture('tail-calls.xray'), fixture('threads.xray'));
    try {
      await page.goto(url);
      await expect(areaOf(page, 'A')).toHaveAccessibleName('Timeline of A, tail-calls.xray');
      await expect(areaOf(page, 'B')).toHaveAccessibleName('Timeline of B, threads.xray');
    } finally {
      child.kill();
    }
  });
});
