import { type Block, type Inline, plainText } from './document.ts';

/**
 * The Markdown of `docs` as blocks. The build calls this: what the page gets has no HTML in it. It knows what these files use, which
 * is headings, paragraphs, lists, tables, code, links, and images on their own.
 */
export function parseMarkdown(source: string): readonly Block[] {
  return blocksOf(source.replaceAll('\r', '').split('\n'), new Map());
}

/** How often each id of a heading was given. */
type Ids = Map<string, number>;

const ITEM = /^( *)([-*]|\d+\.) +/;

function blocksOf(lines: readonly string[], ids: Ids): readonly Block[] {
  const blocks: Block[] = [];
  let at = 0;
  /** The lines from here on for which `holds`. */
  const take = (holds: (line: string, next: string | undefined) => boolean): string[] => {
    const from = at;
    while (at < lines.length && holds(lines[at]!, lines[at + 1])) at += 1;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at]!;
    const heading = /^(#{1,4}) (.*)$/.exec(line);
    const image = /^!\[(.*)\]\((\S+)\)$/.exec(line.trim());
    const fence = /^ *```/.test(line);
    if (line.trim() === '') at += 1;
    else if (fence) {
      at += 1;
      blocks.push({ code: take((next) => !/^ *```/.test(next)).join('\n') });
      at += 1;
    } else if (/^ {4}/.test(line)) {
      const code = take((next, after) => /^ {4}/.test(next) || (next.trim() === '' && /^ {4}/.test(after ?? '')));
      blocks.push({ code: code.map((each) => each.slice(4)).join('\n') });
    } else if (heading) {
      const words = inlineOf(heading[2]!);
      blocks.push({ heading: words, level: heading[1]!.length, id: idOf(plainText(words), ids) });
      at += 1;
    } else if (image) {
      blocks.push({ image: image[2]!, says: image[1]! });
      at += 1;
    } else if (line.startsWith('|')) {
      const [head, , ...rows] = take((next) => next.startsWith('|')).map(cellsOf);
      blocks.push({ head: head ?? [], rows });
    } else if (ITEM.test(line)) blocks.push(listOf(take(isOfList(line)), ids));
    else blocks.push({ text: inlineOf(take(isOfParagraph).join(' ')) });
  }
  return blocks;
}

/** Whether a line goes on with a paragraph. */
function isOfParagraph(line: string): boolean {
  return line.trim() !== '' && !/^(#{1,4} |\||!\[.*\]\(\S+\)$| *```)/.test(line) && !ITEM.test(line);
}

/** Whether a line is of the list that begins with `first`: an item of it, or indented as much as its text. */
function isOfList(first: string): (line: string, next: string | undefined) => boolean {
  const [mark, indent] = ITEM.exec(first)!;
  const isIn = (line: string) => line.startsWith(' '.repeat(mark.length)) || line.startsWith(`${indent}  `);
  const isItem = (line: string) => ITEM.exec(line)?.[1] === indent;
  return (line, next) =>
    line.trim() === '' ? next !== undefined && (isIn(next) || isItem(next)) : isIn(line) || isItem(line);
}

function listOf(lines: readonly string[], ids: Ids): Block {
  const indent = ITEM.exec(lines[0]!)![1]!;
  const items: string[][] = [];
  let width = 0;
  for (const line of lines) {
    const mark = ITEM.exec(line);
    if (mark && mark[1] === indent) {
      width = mark[0].length;
      items.push([line.slice(width)]);
    } else items.at(-1)!.push(line.slice(Math.min(width, line.length - line.trimStart().length)));
  }
  return { items: items.map((item) => blocksOf(item, ids)), isOrdered: /\d/.test(ITEM.exec(lines[0]!)![2]!) };
}

/** The cells of a row of a table. `\|` is a character of a cell, and so is what stands in code. */
function cellsOf(line: string): readonly (readonly Inline[])[] {
  const inner = line.trim().replace(/^\||\|$/g, '');
  const cells = inner.match(/(?:\\\||`[^`]*`|[^|])+|(?<=\|)(?=\|)/g) ?? [];
  return cells.map((cell) => inlineOf(cell.trim().replaceAll('\\|', '|')));
}

/** What is marked in a line: code, bold, italic, links, and addresses. */
const MARKED =
  /(`+)(.+?)\1(?!`)|\*\*(.+?)\*\*|\*([^\s*](?:[^*]*[^\s*])?)\*|\[((?:`[^`]*`|[^\]])+)\]\(([^)\s]+)\)|<(https?:[^>]+)>/g;

function inlineOf(text: string): readonly Inline[] {
  const parts: Inline[] = [];
  let from = 0;
  for (const match of text.matchAll(MARKED)) {
    if (match.index > from) parts.push(text.slice(from, match.index));
    const [whole, , code, bold, italic, link, to, address] = match;
    if (code !== undefined) parts.push({ code: code.replace(/^ (.*) $/, '$1') });
    else if (bold !== undefined) parts.push({ bold: inlineOf(bold) });
    else if (italic !== undefined) parts.push({ italic: inlineOf(italic) });
    else if (address !== undefined) parts.push({ link: [address], to: address });
    else parts.push({ link: inlineOf(link!), to: to! });
    from = match.index + whole.length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

/** The id of a heading, as GitHub makes it. */
function idOf(text: string, ids: Ids): string {
  const plain = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
  const count = ids.get(plain) ?? 0;
  ids.set(plain, count + 1);
  return count === 0 ? plain : `${plain}-${count}`;
}
