/** A colour in linear sRGB. Components of displayable colours are 0 to 1. */
export type Rgb = readonly [number, number, number];

/** Converts from OKLCH: lightness 0 to 1, chroma, hue in degrees. */
export function fromOklch(lightness: number, chroma: number, hue: number): Rgb {
  const angle = (hue * Math.PI) / 180;
  const a = chroma * Math.cos(angle);
  const b = chroma * Math.sin(angle);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

/** Converts from `#rrggbb`. */
export function fromHex(hex: string): Rgb {
  const part = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
}

/** A colour as CSS, `rgb(12 34 56)`, or with an `alpha` below 1. Components out of range are clipped. */
export function toCss(colour: Rgb, alpha = 1): string {
  const part = (value: number) => {
    const clipped = Math.min(1, Math.max(0, value));
    return Math.round(255 * (clipped <= 0.0031308 ? clipped * 12.92 : 1.055 * clipped ** (1 / 2.4) - 0.055));
  };
  const parts = `${part(colour[0])} ${part(colour[1])} ${part(colour[2])}`;
  return alpha < 1 ? `rgb(${parts} / ${alpha})` : `rgb(${parts})`;
}

/** The components, 0 to 255, of a colour in the form of {@link toCss} or `#rrggbb`. Other forms are not supported. */
export function fromCss(css: string): readonly [r: number, g: number, b: number, alpha: number] {
  if (css.startsWith('#')) {
    const bits = Number.parseInt(css.slice(1), 16);
    return [(bits >> 16) & 255, (bits >> 8) & 255, bits & 255, 255];
  }
  const [r = 0, g = 0, b = 0, alpha = 1] = css.match(/[\d.]+/g)?.map(Number) ?? [];
  return [r, g, b, Math.round(255 * alpha)];
}

/** Mixes a fraction `t` of `b` into `a` in OKLab, where equal steps look equal. */
export function mix(a: Rgb, b: Rgb, t: number): Rgb {
  const from = toOklab(a);
  const to = toOklab(b);
  return fromOklab([0, 1, 2].map((i) => from[i]! + (to[i]! - from[i]!) * t) as unknown as Rgb);
}

/** The WCAG contrast ratio, 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [darker, lighter] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (lighter! + 0.05) / (darker! + 0.05);
}

/** The distance of two colours in OKLab. A distance of 0.02 is just noticeable. */
export function difference(a: Rgb, b: Rgb): number {
  const x = toOklab(a);
  const y = toOklab(b);
  return Math.hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

function luminance(colour: Rgb): number {
  return 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2];
}

function toOklab([r, g, b]: Rgb): Rgb {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function fromOklab([lightness, a, b]: Rgb): Rgb {
  return fromOklch(lightness, Math.hypot(a, b), (Math.atan2(b, a) * 180) / Math.PI);
}
