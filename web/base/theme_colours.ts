/* The colours of the page. The canvas has them from here, and the build writes them as custom properties (`vite.config.ts`). */

/** Colours by their names in styles: `onAccent` is `--on-accent`. Those of the canvas are `#rrggbb`. */
export interface ThemeColours {
  readonly background: string;
  readonly panel: string;
  readonly raised: string;
  readonly line: string;
  readonly text: string;
  readonly muted: string;
  readonly faint: string;
  readonly accent: string;
  readonly onAccent: string;
  readonly outline: string;
  readonly warning: string;
  /** Marks: hits of a search, executions, taint, reads, writes. */
  readonly hit: string;
  readonly executed: string;
  readonly tainted: string;
  readonly read: string;
  readonly written: string;
  readonly wash: string;
  readonly selected: string;
  /** `muted` and `accent` on `selected`. */
  readonly selectedMuted: string;
  readonly selectedAccent: string;
  readonly veil: string;
  readonly shadow: string;
  readonly noteYellow: string;
  readonly noteBlue: string;
  readonly noteGreen: string;
  readonly noteRed: string;
  readonly notePurple: string;
  readonly noteGrey: string;
  readonly codeKeyword: string;
  readonly codeText: string;
  readonly codeNumber: string;
  readonly glslValue: string;
  /** Lines of source. */
  readonly added: string;
  readonly removed: string;
  /** The marks of two traces that are compared, the same in both themes: blue and orange, which all kinds of sight tell apart. */
  readonly sideA: string;
  readonly sideB: string;
  readonly onSide: string;
}

const SIDES = { sideA: '#1f6fb2', sideB: '#b45309', onSide: '#ffffff' };

/** The colours of both themes. */
export const THEME_COLOURS: { readonly dark: ThemeColours; readonly light: ThemeColours } = {
  dark: {
    background: '#0e1116',
    panel: '#141920',
    raised: '#1b222b',
    line: '#262e39',
    text: '#d9e0e8',
    muted: '#8b97a6',
    faint: '#5b6675',
    accent: '#62a8ff',
    onAccent: '#0b1220',
    outline: '#ffffff',
    warning: '#e9b44c',
    hit: '#ff6ac1',
    executed: '#c297ff',
    tainted: '#5fd38a',
    read: '#4cc2ff',
    written: '#ff9447',
    wash: 'rgb(98 168 255 / 12%)',
    selected: 'rgb(98 168 255 / 26%)',
    selectedMuted: '#b4bfcc',
    selectedAccent: '#8fc1ff',
    veil: 'rgb(8 10 14 / 55%)',
    shadow: '0 6px 24px rgb(0 0 0 / 45%)',
    noteYellow: '#e0b040',
    noteBlue: '#5aa2f5',
    noteGreen: '#4fb578',
    noteRed: '#e8695f',
    notePurple: '#ac84e8',
    noteGrey: '#98a3b1',
    codeKeyword: '#7fb6ff',
    codeText: '#9fd08b',
    codeNumber: '#e3b777',
    glslValue: '#e6b673',
    added: '#2a9d4a',
    removed: '#d0434b',
    ...SIDES,
  },
  light: {
    background: '#fbfcfd',
    panel: '#f3f5f8',
    raised: '#ffffff',
    line: '#dde2e8',
    text: '#1c2430',
    muted: '#5a6675',
    faint: '#93a0ae',
    accent: '#1866c9',
    onAccent: '#ffffff',
    outline: '#0b1220',
    warning: '#8c6109',
    hit: '#c4127f',
    executed: '#7b3fd1',
    tainted: '#136238',
    read: '#085a9e',
    written: '#9a3b06',
    wash: 'rgb(24 102 201 / 10%)',
    selected: 'rgb(24 102 201 / 20%)',
    selectedMuted: '#434e5c',
    selectedAccent: '#10529f',
    veil: 'rgb(233 237 242 / 62%)',
    shadow: '0 6px 24px rgb(20 30 45 / 16%)',
    noteYellow: '#b07d05',
    noteBlue: '#1d6fd1',
    noteGreen: '#1f8a4c',
    noteRed: '#c93a30',
    notePurple: '#7c4dc4',
    noteGrey: '#66717f',
    codeKeyword: '#1256ad',
    codeText: '#2c6e1f',
    codeNumber: '#8a4b08',
    glslValue: '#8a4b00',
    added: '#2a9d4a',
    removed: '#d0434b',
    ...SIDES,
  },
};

/** The custom properties of both themes, as a style sheet. The dark one is in effect until the page says otherwise. */
export function themeSheet(): string {
  const rule = (selector: string, scheme: 'dark' | 'light') => {
    const lines = Object.entries(THEME_COLOURS[scheme]).map(
      ([name, value]) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: ${value};`,
    );
    return `${selector} { ${lines.join(' ')} color-scheme: ${scheme}; }`;
  };
  return [rule(':root', 'dark'), rule(':root[data-theme="light"]', 'light')].join('\n');
}
