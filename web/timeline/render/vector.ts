import type { Pen } from './pen.ts';

/** A drawing as SVG. */
export interface Vector {
  /** Draws in CSS pixels from the left top corner. Its texts are measured by the pen that it was created with. */
  readonly pen: Pen;
  /** The drawing so far as a file. It has shapes and texts only: no scripts, no links, no styles, nothing that a browser loads. */
  text(): string;
}

/** What {@link Pen.save} keeps, beside the dashes. */
const STYLE = ['fillStyle', 'strokeStyle', 'lineWidth', 'font', 'globalAlpha', 'textBaseline'] as const;
type Style = Pick<Pen, (typeof STYLE)[number]>;

/** An empty drawing, `width` by `height` CSS pixels. `ruler` measures texts. `title` is its name for those who cannot see it. */
export function createVector(
  width: number,
  height: number,
  title: string,
  ruler: Pick<Pen, 'font' | 'measureText'>,
): Vector {
  const parts: string[] = [];
  let dash: readonly number[] = [];
  let path = '';
  let clips = 0;
  /** Open groups, and those and the styles at each `save`. */
  let groups = 0;
  const saved: { groups: number; style: Style; dash: readonly number[] }[] = [];
  /** Rectangles of one fill, which become one path. */
  let filled = '';
  let filling = '';

  const flush = () => {
    if (filled !== '') parts.push(`<path d="${filled}"${filling}/>`);
    filled = '';
  };
  const put = (part: string) => {
    flush();
    parts.push(part);
  };
  const open = (attribute: string) => {
    put(`<g ${attribute}>`);
    groups += 1;
  };
  const alpha = () => (pen.globalAlpha < 1 ? ` opacity="${number(pen.globalAlpha)}"` : '');
  const fill = () => ` fill="${escaped(String(pen.fillStyle))}"${alpha()}`;
  const stroke = () => {
    const dashes = dash.length > 0 ? ` stroke-dasharray="${dash.map((it) => number(it)).join(' ')}"` : '';
    return ` fill="none" stroke="${escaped(String(pen.strokeStyle))}" stroke-width="${number(pen.lineWidth)}"${dashes}${alpha()}`;
  };
  const box = (x: number, y: number, wide: number, tall: number) =>
    `M${number(x)} ${number(y)}h${number(wide)}v${number(tall)}h${number(-wide)}z`;

  const pen: Pen = {
    fillStyle: '#000000',
    strokeStyle: '#000000',
    lineWidth: 1,
    font: '10px sans-serif',
    globalAlpha: 1,
    textBaseline: 'alphabetic',
    setLineDash: (segments: Iterable<number>) => {
      dash = [...segments];
    },
    save: () => {
      const style = Object.fromEntries(STYLE.map((key) => [key, pen[key]])) as unknown as Style;
      saved.push({ groups, style, dash });
    },
    restore: () => {
      const before = saved.pop();
      if (!before) return;
      while (groups > before.groups) {
        put('</g>');
        groups -= 1;
      }
      dash = before.dash;
      Object.assign(pen, before.style);
    },
    translate: (x, y) => open(`transform="translate(${number(x)} ${number(y)})"`),
    scale: (x, y) => open(`transform="scale(${number(x, 5)} ${number(y, 5)})"`),
    beginPath: () => {
      path = '';
    },
    moveTo: (x, y) => {
      path += `M${number(x)} ${number(y)}`;
    },
    lineTo: (x, y) => {
      path += `L${number(x)} ${number(y)}`;
    },
    rect: (x, y, wide, tall) => {
      path += box(x, y, wide, tall);
    },
    fill: () => {
      if (path !== '') put(`<path d="${path}"${fill()}/>`);
    },
    stroke: () => {
      if (path !== '') put(`<path d="${path}"${stroke()}/>`);
    },
    clip: () => {
      clips += 1;
      put(`<clipPath id="c${clips}"><path d="${path}"/></clipPath>`);
      open(`clip-path="url(#c${clips})"`);
    },
    fillRect: (x, y, wide, tall) => {
      const next = fill();
      if (next !== filling) flush();
      filling = next;
      filled += box(x, y, wide, tall);
    },
    strokeRect: (x, y, wide, tall) => put(`<path d="${box(x, y, wide, tall)}"${stroke()}/>`),
    fillText: (text: string, x: number, y: number) => {
      if (text.trim() === '') return;
      // Another machine has other fonts: the text must keep its width, or it would leave its slice.
      const length = number(pen.measureText(text).width);
      const baseline = pen.textBaseline === 'middle' ? ' dominant-baseline="central"' : '';
      const fitted = ` textLength="${length}" lengthAdjust="spacingAndGlyphs"`;
      put(
        `<text x="${number(x)}" y="${number(y)}"${fontOf(pen.font)}${baseline}${fitted}${fill()}>${escaped(text)}</text>`,
      );
    },
    measureText: (text) => {
      if (ruler.font !== pen.font) ruler.font = pen.font;
      return ruler.measureText(text);
    },
  };
  return {
    pen,
    text: () => {
      flush();
      const size = `width="${number(width)}" height="${number(height)}" viewBox="0 0 ${number(width)} ${number(height)}"`;
      const head = `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img"><title>${escaped(title)}</title>`;
      return `${head}${parts.join('')}${'</g>'.repeat(groups)}</svg>\n`;
    },
  };
}

/** A number with few digits; what is not a number is 0. */
function number(value: number, digits = 2): string {
  return String(Number.isFinite(value) ? Number(value.toFixed(digits)) + 0 : 0);
}

/** Attributes of a font such as `600 11.5px Inter, sans-serif`. */
function fontOf(font: string): string {
  const [, weight = '', size = '10', family = 'sans-serif'] = /^(?:(\d+|bold)\s+)?([\d.]+)px\s+(.+)$/.exec(font) ?? [];
  const bold = weight === '' ? '' : ` font-weight="${weight}"`;
  return ` font-size="${size}"${bold} font-family="${escaped(family)}"`;
}

/** Characters that XML does not have at all, and halves of pairs that stand alone. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what names of a trace may have and XML must not.
const IMPOSSIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/gu;

/** Text within an element or an attribute: whatever is in it, it stays text. */
export function escaped(text: string): string {
  return text
    .replace(IMPOSSIBLE, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
