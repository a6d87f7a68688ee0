import { defineConfig } from 'vitest/config';

export default defineConfig({
  // The built page works under any path of any static host.
  base: './',
  publicDir: 'web/public',
  worker: { format: 'es' },
  // Without this the development server finds sql.js at the first database and reloads the page.
  optimizeDeps: { include: ['sql.js'] },
  build: { target: 'es2023', outDir: 'dist', emptyOutDir: true, assetsInlineLimit: 0 },
  test: { include: ['web/**/*.test.ts'], environment: 'node' },
});
