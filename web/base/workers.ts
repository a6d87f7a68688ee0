import { parseAddress } from './address.ts';
import { type FailedMessage, noteFailure } from './failures.ts';
import { filesForWorker, ONE_FILE, scriptWithin } from './one_file.ts';

/*
 * The workers of the page, and what they and the page may load and run. The rest of the policy is in the built page's head
 * (vite.config.ts).
 *
 * A policy in a `<meta>` element does not bind a worker that is loaded from the network. A worker from a `blob:` address
 * inherits the policy of the page, so the code of each worker is a few lines, of which one imports its module. That is a dynamic import:
 * in Firefox static ones of such a worker do not pass the service worker, and without a network they fail.
 */

/** The parts of Trusted Types that the page uses. Not every browser has them. */
interface TrustedTypes {
  createPolicy(name: string, rules: Rules): Rules;
}
interface Rules {
  createScriptURL(url: string): string;
}

/** The message of a worker that holds its lock. */
const ALIVE = 'unspool:alive';
/** Addresses of the code of workers, by the address of the module. Kept for the next worker. */
const scripts = new Map<string, string>();
let started = 0;

/** Holds back messages until `go`, when the module hears them. None is kept: their arrays would be, too. */
const WAIT =
  'const q=[],k=e=>{e.stopImmediatePropagation();q.push(e)};addEventListener("message",k);' +
  'const go=()=>{removeEventListener("message",k);for(const{data,ports}of q.splice(0))dispatchEvent(new MessageEvent("message",{data,ports}))};';
/** Tells the page when it has the lock. */
const LOCK = `navigator.locks?.request(name,()=>new Promise(()=>postMessage("${ALIVE}")))`;

const policy = createPolicy('unspool-worker', (module) => {
  const known = scripts.get(module);
  if (known) return known;
  const code = ONE_FILE ? scriptWithin(module) : importing(module);
  // The fragment shows in developer tools which worker it is.
  const url = `${URL.createObjectURL(new Blob([code], { type: 'text/javascript' }))}#${titleOf(module)}`;
  scripts.set(module, url);
  return url;
});

/** The name of a worker for people: that of its module. */
function titleOf(module: string): string {
  return /\/(\w+)[^/]*$/.exec(module)?.[1] ?? 'worker';
}

/** The code of a worker that imports a module. Throws if that is not of the page. */
function importing(module: string): string {
  const { href, origin } = new URL(module, location.href);
  if (origin !== location.origin) throw new TypeError(`${href} is not a module of the page`);
  return `${WAIT}import(${JSON.stringify(href)}).then(go,e=>setTimeout(()=>{throw e}));${LOCK}`;
}

/** Makes a policy of Trusted Types, or its like where there are none. The built page's head must name it (vite.config.ts). */
export function createPolicy(name: string, createScriptURL: (url: string) => string): Rules {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  return trustedTypes?.createPolicy(name, { createScriptURL }) ?? { createScriptURL };
}

/**
 * Starts a worker whose code is a module of the page. It is bound by the policy that the page has at this moment. If it ends
 * without being terminated, it gets an `error` event.
 */
export function startWorker(module: string): Worker {
  started += 1;
  const name = `unspool-worker ${started} ${Math.random()}`;
  const url = policy.createScriptURL(module);
  // Chromium has no module workers in one file, nor locks that page and workers share.
  const worker = watched(new Worker(url, ONE_FILE ? { name } : { type: 'module', name }), name, titleOf(module));
  if (ONE_FILE) worker.postMessage(filesForWorker());
  return worker;
}

/**
 * A worker that closes itself, or that the browser ends, sends no event. But it loses the lock that it holds while it lives. Its end is noted
 * as a failure of `part`, and so is what it says has failed in it.
 */
function watched(worker: Worker, lock: string, part: string): Worker {
  let over = false;
  const terminate = worker.terminate.bind(worker);
  worker.terminate = () => {
    over = true;
    terminate();
  };
  worker.addEventListener('message', (event: MessageEvent<typeof ALIVE | Partial<FailedMessage>>) => {
    const { data } = event;
    if (data === ALIVE) {
      // Once the user has cleared what the page stores, Chromium's pages and new workers share no locks until a reload.
      void navigator.locks.query().then(({ held }) => {
        if (!held?.some(({ name }) => name === lock)) return;
        void navigator.locks.request(lock, () => {
          if (!over)
            worker.dispatchEvent(new ErrorEvent('error', { message: 'the browser ended it', cancelable: true }));
        });
      });
    } else if (data.failed) noteFailure(part, data.failed);
    else return;
    // Not for those who listen to the worker.
    event.stopImmediatePropagation();
  });
  worker.addEventListener('error', ({ message }) => noteFailure(part, message));
  worker.addEventListener('messageerror', () => noteFailure(part, 'a message could not be read'));
  return worker;
}

/**
 * Limits the connections of the page, and of all workers that it starts from then on, to its own origin and to those of
 * `addresses` (as in `?url=`, or null). Only the built page has a policy: the development server needs connections of its own.
 */
export function limitConnections(...addresses: readonly (string | null)[]): void {
  if (!import.meta.env.PROD) return;
  const meta = document.createElement('meta');
  meta.httpEquiv = 'Content-Security-Policy';
  const sources = addresses.map((address) => (address === null ? '' : sourceOf(address, location.href)));
  meta.content = `connect-src 'self' ${sources.join(' ')}`.trim();
  document.head.append(meta);
}

/**
 * What `connect-src` must allow for an address to be fetched. Empty for an address that cannot be fetched, or whose host a policy
 * would read as something else: the address may come with a link of anybody's.
 */
export function sourceOf(address: string, base: string): string {
  const parsed = parseAddress(address, base);
  if (!parsed) return '';
  const { protocol, origin, hostname } = parsed;
  if (protocol === 'blob:' || protocol === 'data:') return protocol;
  if (protocol !== 'http:' && protocol !== 'https:') return '';
  if (/^[\w.-]+$/.test(hostname)) return origin;
  // A policy cannot name an IPv6 address.
  return /^\[[\da-f:.]+\]$/.test(hostname) ? protocol : '';
}
