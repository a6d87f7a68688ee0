import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { pageOf, pathsOf } from './building.ts';
import { type Block, type Inline, plainText } from './document.ts';
import { parseMarkdown } from './markdown.ts';

const DOCS = join(import.meta.dirname, '../../../docs');
/** Most bytes of a picture. */
const LARGEST_PICTURE = 105_000;

it('reads headings, paragraphs and what is marked in them', () => {
  expect(parseMarkdown('# A `b` c\n\nOne *two*\nthree **four `*`** and\n[five `]`](x.md#y).\n\n## A b c\n')).toEqual([
    { heading: ['A ', { code: 'b' }, ' c'], level: 1, id: 'a-b-c' },
    {
      text: [
        'One ',
        { italic: ['two'] },
        ' three ',
        { bold: ['four ', { code: '*' }] },
        ' and ',
        { link: ['five ', { code: ']' }], to: 'x.md#y' },
        '.',
      ],
    },
    { heading: ['A b c'], level: 2, id: 'a-b-c-1' },
  ]);
  expect(parseMarkdown('`name:gl*`, 2 * 3 * 4 and ``a`b``')).toEqual([
    { text: [{ code: 'name:gl*' }, ', 2 * 3 * 4 and ', { code: 'a`b' }] },
  ]);
});

it('reads lists within lists, with code and pictures in their items', () => {
  expect(parseMarkdown('- one\n  more\n  - inner\n- two\n\n      code\n\n  after\n\nEnd.\n')).toEqual([
    {
      isOrdered: false,
      items: [
        [{ text: ['one more'] }, { isOrdered: false, items: [[{ text: ['inner'] }]] }],
        [{ text: ['two'] }, { code: 'code' }, { text: ['after'] }],
      ],
    },
    { text: ['End.'] },
  ]);
  expect(parseMarkdown('1. one\n\n   ![what it is](a/b.png)\n2. two\n')).toEqual([
    { isOrdered: true, items: [[{ text: ['one'] }, { image: 'a/b.png', says: 'what it is' }], [{ text: ['two'] }]] },
  ]);
});

it('reads tables and code', () => {
  expect(
    parseMarkdown('| a | |\n|---|---:|\n| `x \\| y` | 1 |\n| | 2 |\n\n    one\n\n      two\n\n```json\n{}\n```\n'),
  ).toEqual([
    {
      head: [['a'], []],
      rows: [
        [[{ code: 'x | y' }], ['1']],
        [[], ['2']],
      ],
    },
    { code: 'one\n\n  two' },
    { code: '{}' },
  ]);
});

const partsOf = (blocks: readonly Block[]): readonly (readonly Inline[])[] =>
  blocks.flatMap((block) => {
    if ('heading' in block) return [block.heading];
    if ('text' in block) return [block.text];
    if ('items' in block) return block.items.flatMap(partsOf);
    return 'head' in block ? [...block.head, ...block.rows.flat()] : [];
  });
const linksOf = (parts: readonly Inline[]): readonly string[] =>
  parts.flatMap((part) => {
    if (typeof part === 'string' || 'code' in part) return [];
    if ('link' in part) return [part.to, ...linksOf(part.link)];
    return linksOf('bold' in part ? part.bold : part.italic);
  });

/** Pictures of a document that are missing, or too large. */
const wrongPicturesOf = (path: string, blocks: readonly Block[]): readonly string[] =>
  blocks.flatMap((block) => {
    if ('items' in block) return block.items.flatMap((item) => wrongPicturesOf(path, item));
    if (!('image' in block)) return [];
    const file = join(dirname(path), block.image);
    const size = existsSync(file) ? statSync(file).size : 0;
    return size > 0 && size <= LARGEST_PICTURE ? [] : [`${path}: ${block.image} has ${size} bytes`];
  });

it('reads each document of the repository to the end, with links and pictures that lead somewhere', () => {
  const paths = pathsOf(DOCS);
  expect(paths.length).toBeGreaterThan(20);
  const wrong: string[] = [];
  for (const path of paths) {
    const blocks = pageOf(DOCS, path);
    const parts = partsOf(blocks);
    for (const line of parts) {
      // What marks a text is not shown: code may have anything.
      const bare = plainText(line.filter((part) => typeof part === 'string'));
      if (/\]\(|\*\*|`|^#+ |^\|/.test(bare)) wrong.push(`${path}: ${bare}`);
    }
    for (const to of parts.flatMap(linksOf)) {
      const [page = '', id] = to.split('#');
      if (/^https?:/.test(to)) continue;
      const target = paths.includes(page) ? pageOf(DOCS, page) : [];
      const isThere = id === undefined || target.some((block) => 'heading' in block && block.id === id);
      if (target.length === 0 || !isThere) wrong.push(`${path} leads to ${to}`);
    }
    wrong.push(...wrongPicturesOf(join(DOCS, path), blocks));
    if (!('heading' in blocks[0]!)) wrong.push(`${path} has no title`);
  }
  expect(wrong).toEqual([]);
});

const ROOT = join(DOCS, '..');

it('lists each document in docs/README.md', () => {
  const listed = pageOf(DOCS, 'README').flatMap((block) => partsOf([block]).flatMap(linksOf));
  const paths = new Set(listed.map((to) => to.replace(/#.*/, '')));
  expect(pathsOf(DOCS).filter((path) => path !== 'README' && !paths.has(path))).toEqual([]);
});

it('has links and pictures that lead somewhere in the documents beside docs, too', () => {
  const wrong: string[] = [];
  for (const name of readdirSync(ROOT).filter((name) => name.endsWith('.md'))) {
    const blocks = parseMarkdown(readFileSync(join(ROOT, name), 'utf8'));
    wrong.push(...wrongPicturesOf(join(ROOT, name), blocks));
    const links = partsOf(blocks).flatMap(linksOf);
    for (const to of links.filter((to) => !/^https?:/.test(to))) {
      const [file = '', id] = to.split('#');
      const path = join(ROOT, file || name);
      const isThere = existsSync(path) && (id === undefined || headingsOf(path).includes(id));
      if (!isThere) wrong.push(`${name} leads to ${to}`);
    }
  }
  expect(wrong).toEqual([]);
});

it('lists in docs/scripts.md what each command with a schema prints', () => {
  const table = pageOf(DOCS, 'scripts').find(
    (block) => 'head' in block && plainText(block.head[0] ?? []) === 'commands',
  );
  const listed =
    table && 'head' in table ? table.rows.flatMap(([commands = []]) => plainText(commands).split(', ')) : [];
  const schemas = readdirSync(join(ROOT, 'crate/cli/schema')).map((name) => name.replace('.json', ''));
  expect(listed.sort()).toEqual(schemas.filter((name) => name !== 'stderr').sort());
});

it('lists in docs/scripts.md the kinds of errors', () => {
  const schema = readFileSync(join(ROOT, 'crate/cli/schema/stderr.json'), 'utf8');
  const kinds: unknown = JSON.parse(/"enum": (\[[^\]]*"usage"[^\]]*\])/.exec(schema)?.[1] ?? '[]');
  const sentence = /^Kinds of errors: [\s\S]*?\n\n/m.exec(readFileSync(join(DOCS, 'scripts.md'), 'utf8'))?.[0] ?? '';
  expect(Array.from(sentence.matchAll(/`([a-z]+)`/g), ([, kind]) => kind).sort()).toEqual([kinds].flat().sort());
});

const headingsOf = (path: string): readonly string[] =>
  parseMarkdown(readFileSync(path, 'utf8')).flatMap((block) => ('heading' in block ? [block.id] : []));

/** Most words of documents that tell how things came about unless they are held to what is so. The bars of tables do not count. */
const MOST_WORDS = { performance: 4000, compare: 3600, graphics: 4000 };

it('keeps long documents to their words', () => {
  const words = (path: string) =>
    readFileSync(join(DOCS, `${path}.md`), 'utf8').match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;
  const long = Object.entries(MOST_WORDS).filter(([path, most]) => words(path) > most);
  expect(long.map(([path]) => `${path}: ${words(path)} words`)).toEqual([]);
});
