import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import type { Plugin } from 'vite';
import { type Block, type Inline, plainText } from './document.ts';
import { parseMarkdown } from './markdown.ts';

/** The module with all pages of the documentation. */
const ALL = 'virtual:documentation';
/** What a document is imported with, as blocks. */
const QUERY = '?blocks';
/** Documents that are about the repository rather than the page. */
const LEFT_OUT: readonly string[] = ['interfaces'];

/** A plugin of Vite that makes the documents of a folder modules of the page, each loaded when it is read. */
export function documentation(folder: string): Plugin {
  return {
    name: 'documentation',
    enforce: 'pre',
    resolveId: (id) => (id === ALL || id.endsWith(`.md${QUERY}`) ? id : null),
    load(id) {
      if (id === ALL) return indexOf(folder);
      if (!id.endsWith(`.md${QUERY}`)) return null;
      // The development server asks by the path below the root.
      const path = id.slice(0, -QUERY.length);
      const file = path.startsWith(folder) ? path : join(dirname(folder), path);
      this.addWatchFile(file);
      return moduleOf(folder, file);
    },
  };
}

/** The paths of all pages: `formats/xray`. */
export function pathsOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.replaceAll('\\', '/').slice(0, -'.md'.length))
    .filter((path) => !LEFT_OUT.includes(path))
    .sort();
}

/** A page as blocks. Links to other pages are paths of these, and links to files that are not pages are plain words. */
export function pageOf(folder: string, path: string): readonly Block[] {
  const paths = pathsOf(folder);
  const target = (to: string): string | null => {
    if (/^https?:/.test(to)) return to;
    const [file = '', heading] = to.split('#');
    const page = file === '' ? path : posix.join(posix.dirname(path), file).replace(/\.md$/, '');
    if (!paths.includes(page)) return null;
    return heading === undefined ? page : `${page}#${heading}`;
  };
  const linked = (parts: readonly Inline[]): readonly Inline[] =>
    parts.flatMap((part): readonly Inline[] => {
      if (typeof part === 'string' || 'code' in part) return [part];
      if ('bold' in part) return [{ bold: linked(part.bold) }];
      if ('italic' in part) return [{ italic: linked(part.italic) }];
      const to = target(part.to);
      return to === null ? linked(part.link) : [{ link: linked(part.link), to }];
    });
  const ready = (block: Block): Block => {
    if ('heading' in block) return { ...block, heading: linked(block.heading) };
    if ('text' in block) return { text: linked(block.text) };
    if ('items' in block) return { ...block, items: block.items.map((item) => item.map(ready)) };
    if ('head' in block) return { head: block.head.map(linked), rows: block.rows.map((row) => row.map(linked)) };
    return block;
  };
  return parseMarkdown(readFileSync(join(folder, `${path}.md`), 'utf8')).map(ready);
}

function indexOf(folder: string): string {
  const pages = pathsOf(folder).map((path) => {
    const title = pageOf(folder, path).find((block) => 'heading' in block);
    const words = title && 'heading' in title ? plainText(title.heading) : path;
    const load = `() => import(${JSON.stringify(`${join(folder, path)}.md${QUERY}`)})`;
    return `{ path: ${JSON.stringify(path)}, title: ${JSON.stringify(words)}, load: ${load} }`;
  });
  return `export const PAGES = [\n${pages.join(',\n')}\n];`;
}

/** The module of a page, which imports its pictures as files. */
function moduleOf(folder: string, file: string): string {
  const path = relative(folder, file).replaceAll('\\', '/').slice(0, -'.md'.length);
  const pictures: string[] = [];
  const blocks = JSON.stringify(pageOf(folder, path), (key, value) => {
    if (key !== 'image') return value;
    pictures.push(join(dirname(file), value));
    return `picture ${pictures.length - 1}`;
  });
  const imports = pictures.map((picture, i) => `import picture${i} from ${JSON.stringify(`${picture}?url`)};`);
  const own = blocks.replaceAll(/"image":"picture (\d+)"/g, '"image":picture$1');
  return `${imports.join('\n')}\nexport const BLOCKS = ${own};`;
}
