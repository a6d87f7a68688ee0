import { formatLength } from '../../base/format.ts';
import type { Clock } from '../../base/protocol.ts';
import type { LaidFlame } from '../../timeline/flame.ts';
import type { FlameScene } from '../../timeline/render/flame.ts';
import { drawnFlame, FLAME_WORDS, flameScenes } from '../../timeline/render/flame_picture.ts';
import { type PictureForm, pictureFile } from '../../timeline/render/picture_file.ts';
import { saveBlob } from '../../trace/save_blob.ts';
import type { FlameAnswer } from './comparison.ts';
import { factorText } from './figures.ts';
import { DIFFERENCE_PALETTES } from './flame_source.ts';
import type { FlameQuestion, FlameWidth } from './protocol.ts';

/** The graph on the screen, as far as a picture of it needs it. */
interface Shown extends Pick<FlameScene, 'names' | 'hits' | 'rootName'> {
  /** Of a sandwich, the callers first. */
  readonly laid: readonly (LaidFlame | null)[];
  readonly answer: FlameAnswer | null;
  /** What colours are of: `self` or `total`. */
  readonly colouredBy: string;
  /** The share of all below which differences are grey, or ''. */
  readonly threshold: string;
  readonly theme: 'dark' | 'light';
  /** CSS pixels. */
  readonly width: number;
  /** Names of the traces. */
  readonly a: string;
  readonly b: string;
  readonly clock: Clock;
}

const MODES: Readonly<Record<FlameQuestion['mode'], keyof typeof FLAME_WORDS>> = {
  heavy: 'down',
  inverted: 'up',
  sandwich: 'sandwich',
};
const WIDTHS: Readonly<Record<FlameWidth, string>> = { a: 'A', b: 'B', larger: 'the one where it is longer' };

/** Saves all of the graph as a picture. Rejects with a sentence if the browser cannot make it. */
export async function saveDifferencePicture(form: PictureForm, shown: Shown): Promise<void> {
  const { answer, clock, threshold, theme, a, b } = shown;
  const laid = shown.laid.filter((it) => it !== null);
  if (!answer || laid.length === 0) return;
  const { mode, width, normalised } = answer.asked;
  const scenes = flameScenes(laid, {
    names: shown.names,
    palette: DIFFERENCE_PALETTES[theme],
    width: shown.width,
    lifted: -1,
    hits: shown.hits,
    rootName: shown.rootName,
    length: (total) => formatLength(BigInt(Math.round(total)), clock),
  });
  const [graph, widths] = FLAME_WORDS[MODES[mode]];
  const scaled = normalised ? `, times of B ${factorText(answer.flame.factor)}` : '';
  const grey = threshold ? `less than ${threshold} of all` : 'no difference';
  const drawn = drawnFlame(
    scenes,
    { title: `${a} → ${b}`, about: `Difference, ${graph}${scaled}` },
    `Width: ${widths}, in ${WIDTHS[width]}. Colour: ${shown.colouredBy}; blue: less in B or gone, orange: more or new, grey: ${grey}.`,
  );
  const bytes = await pictureFile(drawn, 'flame', form);
  saveBlob(new Blob([bytes], { type: form === 'svg' ? 'image/svg+xml' : 'image/png' }), `differences-flame.${form}`);
}
