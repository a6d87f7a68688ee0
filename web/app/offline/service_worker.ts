/*
 * The page without a network. The build writes this worker with the list of the page's files (building.ts). It keeps those files and serves
 * them, each only as long as its bytes have the digest of the list. All other requests pass it by, such as that for `?url=`.
 *
 * A new version waits until no tab has the old one, or until the user agrees. A tab that is open then goes on with the parts of its own
 * version, which stay as long as there is one.
 */

/** The digests of the files of this version by path, as in `integrity`. The page itself is `./`. */
declare const FILES: Readonly<Record<string, string>>;

/** The parts of `ServiceWorkerGlobalScope` and its events that are used. The DOM types lack them. */
interface Scope {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<readonly { readonly url: string }[]>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: string, listen: (event: ScopeEvent) => void): void;
}
interface ScopeEvent {
  readonly request: Request;
  readonly data: unknown;
  waitUntil(done: Promise<unknown>): void;
  respondWith(response: Promise<Response>): void;
}

/** Files that are loaded at once, so that what the page needs meanwhile does not have to queue. */
const LANES = 3;

const worker = globalThis as unknown as Scope;
const { registration, clients } = worker;
const { scope } = registration;
/** Other pages of the origin have caches, too, perhaps of this program. */
const PREFIX = `unspool ${scope} `;
const digests = new Map(Object.entries(FILES).map(([path, digest]) => [new URL(path, scope).href, digest]));
/** The address of the digests of a version in its cache. The digest of this list is in the name of the cache. */
const LIST = new URL('files.json', scope).href;
const version = nameOf(JSON.stringify(FILES));
/** The files of this version. */
const files = version.then((name) => caches.open(name));

worker.addEventListener('install', (event) => event.waitUntil(install()));
worker.addEventListener('activate', (event) => event.waitUntil(clients.claim()));
worker.addEventListener('message', ({ data }) => data === 'take over' && void worker.skipWaiting());
worker.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET') return;
  const url = new URL(request.url);
  url.hash = '';
  const isPage = request.mode === 'navigate';
  if (isPage) {
    url.search = '';
    if (url.href === `${scope}index.html`) url.href = scope;
  }
  const digest = digests.get(url.href);
  if (digest) event.respondWith(answer(request, url.href, digest));
  else if (url.href.startsWith(`${scope}assets/`)) event.respondWith(ofOlderVersion(request));
  if (digest && isPage) event.waitUntil(dropOldVersions());
});

/** Keeps the files of this version. What an older version has already is not loaded again. */
async function install(): Promise<void> {
  const [cache, ...others] = await Promise.all([files, ...(await versions()).map((name) => caches.open(name))]);
  await cache.put(LIST, new Response(JSON.stringify(FILES)));
  const rest = digests.entries();
  const lane = async () => {
    for (const [url, digest] of rest) {
      const file = (await keptIn(others, url, digest)) ?? (await loaded(url, digest));
      await cache.put(url, file);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

async function answer(request: Request, url: string, digest: string): Promise<Response> {
  // A page that is no longer kept may be a newer one at its host.
  return (
    (await keptIn([await files], url, digest)) ?? (request.mode === 'navigate' ? fetch(request) : loaded(url, digest))
  );
}

/** A file from its host. Rejects if its bytes are not those of the list. */
async function loaded(url: string, integrity: string): Promise<Response> {
  const response = await fetch(url, { integrity, cache: 'no-cache', credentials: 'same-origin' });
  if (!response.ok || response.redirected) throw new TypeError(`${url} cannot be kept: status ${response.status}`);
  return response;
}

/** A file that one of the caches has with this digest. */
async function keptIn(places: readonly Cache[], url: string, digest: string): Promise<Response | undefined> {
  for (const cache of places) {
    const response = await cache.match(url);
    if (!response?.ok || kindOf(response) !== kindOf(url)) continue;
    if ((await digestOf(await response.clone().blob())) === digest) return response;
  }
  return undefined;
}

/** The kind of thing that a browser takes a file for: by its address, or by the type that the head of a response gives it. */
function kindOf(file: string | Response): 'page' | 'script' | 'picture' | 'data' {
  const isType = typeof file !== 'string';
  const text = isType ? (file.headers.get('content-type') ?? '').toLowerCase() : new URL(file).pathname;
  if (isType ? /html/.test(text) : /(?:\/|\.html)$/.test(text)) return 'page';
  if (isType ? /javascript|ecmascript/.test(text) : /\.js$/.test(text)) return 'script';
  return (isType ? /xml/.test(text) : /\.svg$/.test(text)) ? 'picture' : 'data';
}

/** A file that this version does not have, for a tab of an older one that does. Others come from the host. */
async function ofOlderVersion(request: Request): Promise<Response> {
  for (const name of await versions()) {
    const cache = await caches.open(name);
    const list = await (await cache.match(LIST))?.text();
    // Other pages of the origin can write to its caches.
    if (list === undefined || (await nameOf(list)) !== name) continue;
    const digestsOfPaths: Readonly<Record<string, string>> = JSON.parse(list);
    const digest = digestsOfPaths[request.url.slice(scope.length)];
    const response = digest && (await keptIn([cache], request.url, digest));
    if (response) return response;
  }
  return fetch(request);
}

/** The name of the cache of a version by its list of digests. */
async function nameOf(list: string): Promise<string> {
  return PREFIX + (await digestOf(new Blob([list])));
}

/** Drops the other versions, unless there are tabs that may need them, or one of them is about to follow. */
async function dropOldVersions(): Promise<void> {
  const tabs = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (registration.installing || registration.waiting || tabs.some(({ url }) => url.startsWith(scope))) return;
  const own = await version;
  for (const name of await versions()) if (name !== own) await caches.delete(name);
}

/** The names of the caches of all versions. */
async function versions(): Promise<readonly string[]> {
  return (await caches.keys()).filter((name) => name.startsWith(PREFIX));
}

/** The digest of bytes, as in `integrity`. */
async function digestOf(bytes: Blob): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await bytes.arrayBuffer()));
  return `sha256-${btoa(String.fromCharCode(...digest))}`;
}
