#!/usr/bin/env node
// A minimal static file server: correct content types, no special headers, under any path.
//
//   node scripts/serve.mjs --dir dist --prefix /a/b/ --port 4173
//
// The browser tests use it, so that the page cannot come to depend on a more capable host, and the npm package of a release is this and
// the page. Needs no other file. Listens on localhost only.

import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';

/** @type {Record<string, string>} */
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

const root = resolve(import.meta.dirname, '..');
const text = /** @type {const} */ ({ type: 'string' });
const { values: given } = parseArgs({ options: { dir: text, prefix: text, port: text } });
const dir = resolve(root, given.dir ?? 'dist');
const prefix = `/${given.prefix ?? ''}/`.replace(/\/+/g, '/');
const port = Number(given.port ?? 4173);
if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory())
  fail(`${dir} does not exist: run \`npm run build\` first.`);

/**
 * Answers a request.
 *
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
function serve(request, response) {
  /** @param {number} status */
  const answer = (status, headers = {}) => response.writeHead(status, headers).end();
  if (request.method !== 'GET' && request.method !== 'HEAD') return answer(405, { allow: 'GET, HEAD' });
  const path = pathOf(/** @type {string} */ (request.url));
  if (path === undefined) return answer(400);
  if (`${path}/` === prefix) return answer(301, { location: prefix });
  if (!path.startsWith(prefix)) return answer(404);

  let file = join(dir, path.slice(prefix.length));
  if (file !== dir && !file.startsWith(dir + sep)) return answer(404);
  let stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isDirectory()) {
    file = join(file, 'index.html');
    stat = statSync(file, { throwIfNoEntry: false });
  }
  if (!stat?.isFile()) return answer(404);

  const type = TYPES[extname(file)] ?? 'application/octet-stream';
  response.writeHead(200, { 'content-type': type, 'content-length': stat.size });
  if (request.method === 'HEAD') return response.end();
  return createReadStream(file)
    .on('error', () => response.destroy())
    .pipe(response);
}

// Whatever a request is, it ends with its answer, and the server goes on.
const server = createServer((request, response) => {
  try {
    serve(request, response);
  } catch {
    if (response.headersSent) response.destroy();
    else response.writeHead(404).end();
  }
});

server.on('error', (error) => fail(`Cannot serve on port ${port}: ${error.message}.`));
server.listen(port, '127.0.0.1', () => {
  const { port: found } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`http://127.0.0.1:${found}${prefix}`);
});

/**
 * Exits with one sentence.
 *
 * @param {string} sentence
 * @returns {never}
 */
function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

/**
 * The decoded path of a request; undefined if no file can have it.
 *
 * @param {string} url
 */
function pathOf(url) {
  try {
    const path = decodeURIComponent(url.split(/[?#]/, 1)[0]);
    return path.includes('\0') ? undefined : path;
  } catch {
    return undefined;
  }
}
