import { defineConfig } from 'vitest/config';

export default defineConfig({
  // The built page is put under any path of any static host.
  base: './',
  publicDir: 'web/public',
  worker: { format: 'es' },
  build: { target: 'es2023', outDir: 'dist', emptyOutDir: true, assetsInlineLimit: 0 },
  test: { include: ['web/**/*.test.ts'], environment: 'node' },
});
