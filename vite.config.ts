import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/**
 * What the built page may load and run: its own files, and WebAssembly. It may connect anywhere at first, because policies can
 * only be narrowed: `limitConnections` (web/ui/workers.ts) does so before anything is fetched.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  'connect-src * blob: data:',
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types unspool-worker',
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

export default defineConfig({
  // The built page works under any path of any static host.
  base: './',
  publicDir: 'web/public',
  plugins: [securityPolicy],
  worker: { format: 'es' },
  // Without this the development server finds sql.js at the first database and reloads the page.
  optimizeDeps: { include: ['sql.js'] },
  build: { target: 'es2023', outDir: 'dist', emptyOutDir: true, assetsInlineLimit: 0 },
  test: { include: ['web/**/*.test.ts'], environment: 'node' },
});
