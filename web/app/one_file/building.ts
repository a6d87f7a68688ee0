import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'vite';
import { textOf, withCopies } from './packing.ts';

/** The mode of the build that makes the page one file: `vite build --mode one-file`. */
export const MODE = 'one-file';
/** Where the build puts it, and what it is called. */
export const ONE_FILE = { folder: 'dist-file', name: 'unspool.html' };

/** As `WITHIN` of base/one_file.ts, which the configuration cannot import. */
const WITHIN = 'unspool-file:';
const BOOT = join(import.meta.dirname, 'boot.ts');
const WORKER_FILES = join(import.meta.dirname, 'worker', 'files.ts');

/** A plugin of Vite that makes the page one file, with its samples. The pictures of the documentation are left out. */
export function oneFile(publicFolder: string): Plugin {
  return {
    name: 'one-file',
    apply: 'build',
    enforce: 'post',
    config: () => ({
      build: {
        outDir: ONE_FILE.folder,
        copyPublicDir: false,
        cssCodeSplit: false,
        modulePreload: false,
        rolldownOptions: { output: { codeSplitting: false } },
      },
      // Module workers of a file do not start in Chromium.
      worker: { format: 'iife' },
      experimental: {
        renderBuiltUrl: (name) => (/\.(?:js|wasm)$/.test(name) ? `${WITHIN}${name}` : { relative: true }),
      },
    }),
    generateBundle: {
      order: 'post',
      async handler(_, bundle) {
        const files: [name: string, bytes: string | Uint8Array][] = [];
        let [html, style] = ['', ''];
        for (const [name, file] of Object.entries(bundle)) {
          const content = file.type === 'chunk' ? file.code : file.source;
          if (name.endsWith('.html')) html = String(content);
          else if (name.endsWith('.css')) style += String(content);
          else if (file.type === 'chunk' && file.isEntry) files.push(['page.js', content]);
          else if (/\.(?:js|wasm|txt)$/.test(name)) files.push([name, content]);
          else throw new Error(`${name} has no place in one file`);
          delete bundle[name];
        }
        for (const name of readdirSync(join(publicFolder, 'samples'))) {
          files.push([posix.join('samples', name), readFileSync(join(publicFolder, 'samples', name))]);
        }
        const icon = readFileSync(join(publicFolder, 'icon.svg'));
        this.emitFile({
          type: 'asset',
          fileName: ONE_FILE.name,
          source: composed(html, style, icon, files, await boot()),
        });
      },
    },
  };
}

/** A plugin for workers of the page in one file: they begin with what answers their requests. */
export function workerOfOneFile(): Plugin {
  return {
    name: 'one-file-worker',
    transform(code, id) {
      if (!this.getModuleInfo(id)?.isEntry) return null;
      return { code: `import ${JSON.stringify(WORKER_FILES)};\n${code}`, map: null };
    },
  };
}

/** Documents of the page in one file have words in place of pictures. */
export function withoutPictures(): Plugin {
  return {
    name: 'without-pictures',
    enforce: 'pre',
    load: (id) => (/\.png(?:\?url)?$/.test(id) ? 'export default "";' : null),
  };
}

/** The script that the page begins with. */
async function boot(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, modulePreload: false, target: 'es2022', rolldownOptions: { input: BOOT } },
  });
  const [script] = 'output' in built ? built.output : [];
  if (script?.type !== 'chunk') throw new Error(`${BOOT} was not built`);
  return script.code;
}

function composed(
  html: string,
  style: string,
  icon: Uint8Array,
  files: readonly (readonly [name: string, bytes: string | Uint8Array])[],
  boot: string,
): string {
  const digest = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const policy = [
    "default-src 'none'",
    `script-src ${digest(boot)} blob: 'wasm-unsafe-eval'`,
    'worker-src blob:',
    `style-src ${digest(style)}`,
    'img-src data: blob:',
    'connect-src * blob: data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types unspool-worker',
  ];
  const contents = files.map(([name, bytes]) => ({ name, bytes: Buffer.from(bytes) }));
  const names = contents.map(({ name, bytes }) => `${name}:${bytes.length}`).join(' ');
  const compressed = gzipSync(withCopies(Buffer.concat(contents.map(({ bytes }) => bytes))), { level: 9 });
  const packed = `<script type="text/plain" data-files="${names}" data-size="${compressed.length}">${textOf(compressed)}</script>`;
  const head = [
    `<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}">`,
    `<link rel="icon" href="data:image/svg+xml;base64,${Buffer.from(icon).toString('base64')}">`,
    `<style>${style}</style>`,
  ];
  return (
    html
      // What the page has beside it elsewhere.
      .replace(/\s*<(?:link|script)\b[^>]*\b(?:href|src)="[^"]*"[^>]*>(?:<\/script>)?/g, '')
      .replace(/(<meta charset=[^>]*>)/, (charset) => `${charset}\n    ${head.join('\n    ')}`)
      .replace('</body>', () => `${packed}\n<script type="module">${boot}</script>\n  </body>`)
  );
}
