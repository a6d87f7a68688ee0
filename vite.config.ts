import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import manifest from './package.json' with { type: 'json' };
import { waitForWasm } from './scripts/wait_for_wasm.mjs';
import { workersInTests } from './tests/engine/building.ts';
import { about, hashes, licences, noteBundled } from './web/app/about/building.ts';
import { documentation } from './web/app/help/building.ts';
import { serviceWorker } from './web/app/offline/building.ts';
import { MODE, oneFile, withoutPictures, workerOfOneFile } from './web/app/one_file/building.ts';
import { themeSheet } from './web/base/theme_colours.ts';

/**
 * What the built page may load and run: its own files, and WebAssembly. It may connect anywhere at first, because policies can
 * only be narrowed: `limitConnections` (web/base/workers.ts) does so before anything is fetched.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  'connect-src * blob: data:',
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types unspool-worker unspool-offline',
];

const securityPolicy: Plugin = {
  name: 'security-policy',
  // The development server injects scripts and styles.
  apply: 'build',
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY.join('; ') },
      injectTo: 'head-prepend',
    },
  ],
};

/** Files that are served as they are. */
const PUBLIC = fileURLToPath(new URL('web/public', import.meta.url));
/** The documents that are part of the page. */
const DOCS = fileURLToPath(new URL('docs', import.meta.url));

/** The colours as custom properties: in the page's first style sheet, so that nothing waits for a script to write them. */
const themeColours: Plugin = {
  name: 'theme-colours',
  resolveId: (id) => (id === 'virtual:theme.css' ? id : null),
  load: (id) => (id === 'virtual:theme.css' ? themeSheet() : null),
};

/**
 * What the page loads at first is one file, and what a trace needs more is another one. Otherwise each module that one of them shares with
 * panels is a file of its own, and small files compress badly.
 */
const codeSplitting = {
  groups: [
    { name: 'page', tags: ['$initial' as const], priority: 2 },
    { name: 'timeline', test: /trace_view\.tsx/, priority: 1 },
    // The questions of all features are shown together.
    { name: 'start', test: /features\/\w+\/starts\.ts|details\/start_here\.tsx/, priority: 1 },
  ],
};

/** Unit tests that start sql.js, which a worker does once. */
const WITH_SQLITE = [
  'trace/worker/sqlite',
  'features/sql/worker/sql_functions',
  'features/sql/worker/detail_tables',
].map((name) => `web/${name}.test.ts`);

/** Tests of the page that are left out: beginnings of names; see scripts/test.mjs. */
const leftOut = (process.env['E2E_LEAVE_OUT'] ?? '')
  .split(',')
  .filter(Boolean)
  .map((name) => `tests/e2e/**/${name}*.spec.ts`);

const inTests = (name: string) => fileURLToPath(new URL(`tests/engine/${name}.ts`, import.meta.url));
/** Tests start sql.js for each worker of a page. */
const SQL_IN_TESTS = [{ find: /^sql\.js$/, replacement: inTests('sql') }];

export default defineConfig(({ mode }) => ({
  // The built page works under any path of any static host.
  base: './',
  publicDir: PUBLIC,
  plugins: [
    themeColours,
    documentation(DOCS),
    about(manifest.version),
    waitForWasm(),
    ...(process.env['VITEST'] ? [workersInTests()] : []),
    noteBundled(),
    licences(),
    // Hashes of all but the service worker, which has that of their list.
    ...(mode === MODE ? [withoutPictures(), oneFile(PUBLIC)] : [securityPolicy, hashes(), serviceWorker()]),
  ],
  worker: {
    format: 'es',
    plugins: () => [waitForWasm(), noteBundled(), ...(mode === MODE ? [workerOfOneFile()] : [])],
  },
  // Cargo writes thousands of files while the server waits for it: looking at each took a third of a core.
  server: {
    watch: { ignored: ['target', 'xtask/target', 'crate'].map((name) => `${import.meta.dirname}/${name}/**`) },
  },
  // Without this the development server finds sql.js at the first database and reloads the page.
  optimizeDeps: { include: ['sql.js'] },
  build: {
    target: manifest.browserslist.map((browser) => browser.replace(' >= ', '')),
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    // What is loaded ahead is loaded a moment later where a browser has none of this.
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting } },
  },
  test: {
    environment: 'node',
    pool: 'threads',
    // By default Vitest leaves one processor idle.
    maxWorkers: '100%',
    // Only what hangs fails by the clock: machines are shared.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A process for each file takes three times as long.
    projects: [
      { extends: true, test: { name: 'web', include: ['web/**/*.test.ts'], exclude: WITH_SQLITE, isolate: false } },
      { extends: true, test: { name: 'sqlite', include: WITH_SQLITE } },
      // Components, with a document that has no layout. A browser takes longer to start than all of them take.
      {
        extends: true,
        resolve: { alias: SQL_IN_TESTS },
        test: { name: 'components', include: ['web/**/*.test.tsx'], environment: 'happy-dom', isolate: false },
      },
      // The tests of the page that need no browser: those without a tag.
      {
        extends: true,
        resolve: { alias: [{ find: '@playwright/test', replacement: inTests('playwright') }, ...SQL_IN_TESTS] },
        test: {
          name: 'page',
          include: ['tests/e2e/**/*.spec.ts'],
          exclude: leftOut,
          // Each file has modules of its own: what one leaves in them, others would find.
          environment: 'happy-dom',
          passWithNoTests: true,
          // As the tests of the page in a browser.
          retry: process.env['CI'] ? 1 : 0,
        },
      },
    ],
  },
}));
