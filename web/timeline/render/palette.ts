import { THEME_COLOURS, type ThemeColours } from '../../base/theme_colours.ts';
import { COLOURS } from '../../trace/names.ts';
import { contrast, fromHex, fromOklch, mix, type Rgb, toCss } from './colour.ts';

/** The contrast of marks with what is around them. */
const LEAST_CONTRAST = 4.5;

/** Number of density levels between the background and the full colour. */
export const LEVELS = 8;

/** The kinds of marks of what only A and what only B has, of two traces that are compared. */
export const DIFFERING = { a: 5, b: 6 } as const;

/** The colours of the canvas in one theme, as CSS. */
export interface Palette {
  readonly background: string;
  readonly panel: string;
  readonly line: string;
  readonly text: string;
  readonly muted: string;
  readonly accent: string;
  readonly outline: string;
  readonly warning: string;
  /** The hits of a search. */
  readonly hit: string;
  /** Marks by kind, as in `About` of `crate/filter`: hits, executions, taint, reads, writes. Then {@link DIFFERING}. */
  readonly abouts: readonly string[];
  /** The graph of a counter: the area below it, the band from lowest to highest, the line. */
  readonly graph: readonly [area: string, band: string, line: string];
  /** Colours of marks by density. */
  readonly marks: readonly string[];
  /** Colours of slices by colour × {@link LEVELS} + level; level 0 is the thinnest. */
  readonly slices: readonly string[];
  /** The same for slices with the hovered name. */
  readonly lifted: readonly string[];
  /** Colours of labels by the colour of the slice. */
  readonly label: readonly string[];
  readonly liftedLabel: readonly string[];
}

/** The colours of a theme; exported for tests of contrast and colour blindness. */
export interface Theme {
  readonly background: Rgb;
  /** The 16 slice colours, hue by hue, the darker one first. */
  readonly slices: readonly Rgb[];
  readonly lifted: readonly Rgb[];
  /** The candidates for the text colour of a label. */
  readonly inks: readonly [Rgb, Rgb];
}

const HUES = [28, 62, 95, 150, 185, 235, 290, 335] as const;
/**
 * The lightness offset of each hue. With a red-green colour blindness, hues 62 and 95 or 235 and 290 would look the
 * same at equal lightness.
 */
const STAGGER = [-0.01, 0.02, -0.025, 0, -0.025, 0.01, -0.025, 0.01] as const;

/** The two themes. */
export const THEMES: { readonly dark: Theme; readonly light: Theme } = {
  dark: theme(THEME_COLOURS.dark.background, [0.545, 0.655], 0.085, THEME_COLOURS.dark.outline),
  light: theme(THEME_COLOURS.light.background, [0.75, 0.85], 0.075, THEME_COLOURS.light.text),
};

/** The canvas palettes of the two themes. */
export const PALETTES: { readonly dark: Palette; readonly light: Palette } = {
  dark: palette(THEMES.dark, THEME_COLOURS.dark),
  light: palette(THEMES.light, THEME_COLOURS.light),
};

/** The palettes while one function stands out: its slices are lifted and the others fade. */
export const DIMMED: { readonly dark: Palette; readonly light: Palette } = {
  dark: dimmed(THEMES.dark, PALETTES.dark),
  light: dimmed(THEMES.light, PALETTES.light),
};

/** The palette of a theme in which all names but a highlighted one are dim; -1 highlights none. */
export function paletteFor(theme: keyof typeof PALETTES, highlighted: number): Palette {
  return (highlighted < 0 ? PALETTES : DIMMED)[theme];
}

/** The one of two text colours with the better contrast on `ground`. */
export function inkOn(ground: Rgb, inks: readonly [Rgb, Rgb]): Rgb {
  return contrast(ground, inks[0]) >= contrast(ground, inks[1]) ? inks[0] : inks[1];
}

function theme(background: string, lightness: readonly [number, number], chroma: number, lift: string): Theme {
  const slices = Array.from({ length: COLOURS }, (_, i) => {
    const hue = i >> 1;
    return fromOklch(lightness[i & 1]! + STAGGER[hue]!, chroma, HUES[hue]!);
  });
  const lifted = slices.map((slice) => mix(slice, fromHex(lift), 0.28));
  return { background: fromHex(background), slices, lifted, inks: [fromHex('#ffffff'), fromHex('#000000')] };
}

function dimmed(from: Theme, whole: Palette): Palette {
  const slices = from.slices.map((slice) => mix(from.background, slice, 0.22));
  return {
    ...whole,
    slices: levelsOf(from, slices),
    lifted: whole.slices,
    label: from.slices.map(() => whole.muted),
    liftedLabel: whole.label,
  };
}

function levelsOf(from: Theme, colours: readonly Rgb[]): string[] {
  return colours.flatMap((colour) =>
    Array.from({ length: LEVELS }, (_, level) =>
      // A single call in a wide gap must stay visible.
      toCss(mix(from.background, colour, 0.3 + (0.7 * level) / (LEVELS - 1))),
    ),
  );
}

/** The colour of a side as a mark: lighter on dark ground, where the mark of a letter would be too dark. */
function markOn({ background, inks }: Theme, side: string): string {
  const colour = fromHex(side);
  return contrast(background, colour) < LEAST_CONTRAST ? toHex(mix(colour, inks[0], 0.25)) : side;
}

function toHex(colour: Rgb): string {
  const parts = toCss(colour).match(/\d+/g) ?? [];
  return `#${parts.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;
}

function palette(from: Theme, flat: ThemeColours): Palette {
  const labels = (colours: readonly Rgb[]) => colours.map((colour) => toCss(inkOn(colour, from.inks)));
  const { panel, line, text, muted, outline, warning, hit, executed, tainted, read, written, sideA, sideB } = flat;
  const accent = fromHex(flat.accent);
  return {
    ...{ panel, line, text, muted, accent: flat.accent, outline, warning, hit },
    abouts: [hit, executed, tainted, read, written, ...[sideA, sideB].map((side) => markOn(from, side))],
    graph: [toCss(accent, 0.16), toCss(mix(from.background, accent, 0.5)), flat.accent],
    marks: [0.55, 0.7, 0.85, 1].map((part) => toCss(mix(from.background, accent, part))),
    background: toCss(from.background),
    slices: levelsOf(from, from.slices),
    lifted: levelsOf(from, from.lifted),
    label: labels(from.slices),
    liftedLabel: labels(from.lifted),
  };
}
