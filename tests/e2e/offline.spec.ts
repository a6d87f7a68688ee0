import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { test as base, expect, type Page } from '@playwright/test';
import { SAMPLES } from '../../web/app/formats.ts';
import { writeServiceWorker } from '../../web/app/offline/building.ts';
import { SWIFTSHADER } from './gpu.ts';
import { fixture, notice, open, pictured, settled, showCalls, showPanel } from './page.ts';

const DIST = join(import.meta.dirname, '../../dist');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

/** A host of a copy of the page that can go away, be changed, and says what was fetched from it. */
interface Host {
  readonly folder: string;
  readonly url: string;
  /** Paths below the page, in order. */
  readonly requests: string[];
  stop(): Promise<void>;
}

async function createHost(): Promise<Host> {
  const folder = mkdtempSync(join(tmpdir(), 'unspool-offline-'));
  cpSync(DIST, folder, { recursive: true });
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0]!.slice('/deep/down/'.length);
    requests.push(path);
    const file = join(folder, path === '' ? 'index.html' : path);
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    return response.end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    folder,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/deep/down/`,
    requests,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const test = base.extend<{ host: Host; errors: string[] }>({
  serviceWorkers: 'allow',
  launchOptions: SWIFTSHADER,
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of what is needed from here.
  host: async ({}, use) => {
    const host = await createHost();
    await use(host);
    await host.stop().catch(() => undefined);
  },
  errors: async ({ context }, use) => {
    const errors: string[] = [];
    context.on('weberror', (error) => errors.push(error.error().message));
    await use(errors);
    expect(errors).toEqual([]);
  },
});

/** Opens the page and waits until its files are kept. */
async function visit(page: Page, host: Host): Promise<void> {
  await page.goto(host.url);
  await page.evaluate(async () => {
    const active = (await navigator.serviceWorker.ready).active!;
    await new Promise<void>((resolve) => {
      const look = () => active.state === 'activated' && resolve();
      active.addEventListener('statechange', look);
      look();
    });
  });
}

/** Asks the host for a new version, and waits until it is kept or refused. Resolves to whether it waits. */
async function update(page: Page): Promise<boolean> {
  return page.evaluate(async () => {
    const registration = await (await navigator.serviceWorker.ready).update().then(
      () => navigator.serviceWorker.ready,
      () => navigator.serviceWorker.ready,
    );
    const { installing } = registration;
    if (installing) {
      await new Promise<void>((resolve) => {
        const look = () => installing.state !== 'installing' && resolve();
        installing.addEventListener('statechange', look);
        look();
      });
    }
    return registration.waiting !== null;
  });
}

const assetOf = (folder: string, name: RegExp) => readdirSync(join(folder, 'assets')).find((file) => name.test(file))!;

/** Makes the host's page another version: the page says so, and the code of help has another name. */
async function publish(host: Host): Promise<{ old: string; now: string }> {
  const old = assetOf(host.folder, /^help-.*\.js$/);
  const now = 'help-00000002.js';
  const assets = join(host.folder, 'assets');
  for (const name of readdirSync(assets).filter((file) => file.endsWith('.js'))) {
    const text = readFileSync(join(assets, name), 'utf8');
    if (text.includes(old)) writeFileSync(join(assets, name), text.replaceAll(old, now));
  }
  renameSync(join(assets, old), join(assets, now));
  const html = join(host.folder, 'index.html');
  writeFileSync(html, readFileSync(html, 'utf8').replace('<title>', '<meta name="version" content="2"><title>'));
  await writeServiceWorker(host.folder);
  return { old, now };
}

const isNew = (page: Page) => page.locator('meta[name=version]').count();

test('everything works without a network after one visit', { tag: '@network' }, async ({ page, host, errors }) => {
  test.slow();
  await visit(page, host);
  await host.stop();
  await page.goto(host.url);
  for (const { path, name, about } of SAMPLES) {
    await page.goto(host.url);
    await page.getByRole('button', { name: `${name} ${about}` }).click();
    await settled(page, 'ready', path.split('/').at(-1));
    await pictured(page);
  }
  // What a browser keeps needs no address: with a question, too, and by the name of the file.
  await page.goto(`${host.url}index.html?url=samples/threads.xray`);
  await settled(page, 'ready', 'threads.xray');
  await showCalls(page, 'Flame');
  await expect(page.locator('.flame')).toBeVisible();
  await showPanel(page, 'SQL');
  await page.getByRole('textbox', { name: 'SQL query' }).fill('select count(*) as found from slices');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('columnheader', { name: 'found' })).toBeVisible();
  await open(page, fixture('replay_views.trace'));
  await page.getByRole('tab', { name: 'Picture', exact: true }).click();
  await expect(page.getByRole('img', { name: /^Picture of/ })).toBeVisible({ timeout: 30_000 });
  // Each file of the page can be fetched, whatever loads it.
  const files = readdirSync(join(DIST, 'assets')).map((name) => `assets/${name}`);
  const missing = await page.evaluate(async (paths) => {
    const fetched = await Promise.all(
      paths.map((path) =>
        fetch(path).then(
          (it) => it.ok,
          () => false,
        ),
      ),
    );
    return paths.filter((_, i) => !fetched[i]);
  }, files);
  expect(missing).toEqual([]);
  expect(errors).toEqual([]);
});

test('keeps no file that is not the page’s', { tag: '@network' }, async ({ page, host }) => {
  await visit(page, host);
  writeFileSync(join(host.folder, 'run.xray'), readFileSync(join(DIST, 'samples/threads.xray')));
  await page.goto(`${host.url}?url=run.xray`);
  await settled(page, 'ready', 'run.xray');
  const kept = await page.evaluate(async () => {
    const caches_ = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
    return (await Promise.all(caches_.map((cache) => cache.keys()))).flat().map(({ url }) => url);
  });
  expect(kept).toContain(`${host.url}samples/threads.xray`);
  expect(kept.filter((url) => /\/(run\.xray|sw\.js)$|\?|embedding\//.test(url))).toEqual([]);
  expect(await page.evaluate(() => fetch('embedding/index.html').then(({ ok }) => ok))).toBe(true);
  expect(host.requests.filter((path) => path === 'embedding/index.html')).toHaveLength(1);
});

test('a file that was changed at the host is not kept', { tag: '@network' }, async ({ page, host }) => {
  await visit(page, host);
  const { now } = await publish(host);
  writeFileSync(join(host.folder, 'assets', now), 'alert(1)');
  expect(await update(page)).toBe(false);
  await page.reload();
  expect(await isNew(page)).toBe(0);
  await expect(notice(page).locator('p')).toHaveCount(0);
});

test('a file that was changed where it is kept is not served', { tag: '@network' }, async ({ page, host }) => {
  await visit(page, host);
  const name = assetOf(host.folder, /^help-.*\.js$/);
  const original = readFileSync(join(host.folder, 'assets', name), 'utf8');
  await page.evaluate(async (path) => {
    const [key] = await caches.keys();
    await (await caches.open(key!)).put(
      path,
      new Response('alert(1)', { headers: { 'content-type': 'text/javascript' } }),
    );
  }, `assets/${name}`);
  const fetched = () =>
    page.evaluate(
      (path) =>
        fetch(path).then(
          (it) => it.text(),
          () => null,
        ),
      `assets/${name}`,
    );
  await page.reload();
  expect(await fetched()).toBe(original);
  // The right bytes with the head of a page.
  await page.evaluate(
    async ([path = '', text = '']) => {
      const [key = ''] = await caches.keys();
      await (await caches.open(key)).put(path, new Response(text, { headers: { 'content-type': 'text/html' } }));
    },
    [`assets/${name}`, original],
  );
  expect(
    await page.evaluate((path) => fetch(path).then((it) => it.headers.get('content-type')), `assets/${name}`),
  ).toBe('text/javascript');
  writeFileSync(join(host.folder, 'assets', name), 'alert(2)');
  expect(await fetched()).toBe(null);
});

test('a new version waits for consent, and loads what has changed; an open tab keeps its parts', {
  tag: '@network',
}, async ({ page, context, host, errors }) => {
  await visit(page, host);
  const { old, now } = await publish(host);
  host.requests.length = 0;
  expect(await update(page)).toBe(true);
  const own = new Set(host.requests);
  expect(own).toContain(`assets/${now}`);
  // The page, the code of help, and what names it.
  expect(own.size).toBeLessThan(8);
  const other = await context.newPage();
  await other.goto(host.url);
  expect(await isNew(other)).toBe(0);
  const line = 'A new version of Unspool is ready.';
  await expect(notice(page)).toContainText(line);
  await expect(notice(other)).toContainText(line);
  await notice(page).getByRole('button', { name: 'Keep this version for now' }).click();
  await expect(notice(page).locator('p')).toHaveCount(0);
  const reloaded = other.waitForEvent('load');
  await notice(other).getByRole('button', { name: 'Reload' }).click();
  await reloaded;
  await expect.poll(() => isNew(other)).toBe(1);
  // The tab of the old version loads a part that its host no longer has.
  expect(await isNew(page)).toBe(0);
  expect(readdirSync(join(host.folder, 'assets'))).not.toContain(old);
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toContainText('Documentation');
  // Not with other bytes than those that it had.
  const status = await page.evaluate(async (path) => {
    for (const key of await caches.keys()) {
      const cache = await caches.open(key);
      if (await cache.match(path))
        await cache.put(path, new Response('alert(1)', { headers: { 'content-type': 'text/javascript' } }));
    }
    return (await fetch(path)).status;
  }, `assets/${old}`);
  expect(status).toBe(404);
  // Once no tab has it, the old version goes.
  await page.close();
  await other.close();
  const last = await context.newPage();
  await last.goto(host.url);
  await expect.poll(() => last.evaluate(async () => (await caches.keys()).length)).toBe(1);
  expect(errors).toEqual([]);
});

test('is a page that can be installed, and opens the files that it is started with', { tag: '@network' }, async ({
  page,
  host,
  errors,
}) => {
  await page.addInitScript(() => {
    const queue = { setConsumer: (consume: unknown) => Object.assign(window, { consume }) };
    Object.defineProperty(window, 'launchQueue', { value: queue });
  });
  await page.goto(host.url);
  const session = await page.context().newCDPSession(page);
  const { errors: wrong, data } = await session.send('Page.getAppManifest');
  expect(wrong).toEqual([]);
  const handled = Object.values(JSON.parse(data!).file_handlers[0].accept).flat();
  for (const { path } of SAMPLES) expect(handled).toContain(extname(path));
  await page.waitForFunction(() => 'consume' in window);
  await page.evaluate(async () => {
    const file = new File([await (await fetch('samples/threads.xray')).blob()], 'double click.xray');
    // Such handles can be kept.
    class Handle {
      readonly kind = 'file';
      readonly name = file.name;
      getFile(): Promise<File> {
        return Promise.resolve(file);
      }
    }
    const handle = new Handle();
    (window as unknown as { consume(launch: object): void }).consume({ files: [handle] });
  });
  await settled(page, 'ready', 'double click.xray');
  expect(errors).toEqual([]);
});
