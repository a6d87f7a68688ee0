import { defineConfig } from 'vitest/config';

export default defineConfig({
  // The built page is put under any path of any static host.
  base: './',
  publicDir: 'web/public',
  worker: { format: 'es' },
  // Found only when a database is dropped, it would make the development server load the page anew.
  optimizeDeps: { include: ['sql.js'] },
  build: { target: 'es2023', outDir: 'dist', emptyOutDir: true, assetsInlineLimit: 0 },
  test: { include: ['web/**/*.test.ts'], environment: 'node' },
});
