import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatCount, formatNumber } from '../../../base/format.ts';
import type { ResourceColumns, TextureLevel, TexturePixels } from '../../../base/survey_protocol.ts';
import { saveBlob } from '../../../trace/save_blob.ts';
import type { Survey } from '../../../trace/survey.ts';

interface Props {
  readonly survey: Survey;
  readonly resources: ResourceColumns;
  readonly at: number;
  readonly call: number;
  readonly go: (call: number) => void;
}

const FACES = ['+x', '−x', '+y', '−y', '+z', '−z'];
const ZOOMS = [0.25, 0.5, 1, 2, 4, 8, 16, 32];

/** A texture as an image, as its uploads have left it. */
export function TextureImage({ survey, resources, at, call, go }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const level = useSignal(0);
  const slice = useSignal(0);
  /** A bit for each channel. */
  const mask = useSignal(15);
  /** What is black and white: `usual`, from the least to the greatest number, or two numbers. */
  const range = useSignal<'usual' | 'whole' | readonly [number, number]>('usual');
  const zoom = useSignal(0);
  const flipped = useSignal(false);
  const held = useSignal<TextureLevel | null>(null);
  const pixels = useSignal<TexturePixels | null>(null);
  const pointed = useSignal('');
  useEffect(() => {
    let current = true;
    void survey.ask.texture(at, level.value, call).then((found) => {
      if (!current) return;
      slice.value = Math.min(slice.value, Math.max(0, (found?.depth ?? 1) - 1));
      held.value = found;
    });
    return () => {
      current = false;
    };
  }, [survey, at, level.value, call]);
  const texture = held.value;
  useEffect(() => {
    if (!texture || texture.width === 0) return;
    let current = true;
    const ask = (low: number | null, high: number | null) => survey.ask.pixels(slice.value, mask.value, low, high);
    const wanted = range.value;
    const found = async () => {
      if (wanted === 'usual') return ask(null, null);
      if (wanted !== 'whole') return ask(...wanted);
      // Which numbers there are is known of the slice only.
      const usual = await ask(null, null);
      return usual && ask(usual.least, usual.most);
    };
    void found().then((shown) => {
      if (current) pixels.value = shown;
    });
    return () => {
      current = false;
    };
  }, [texture, slice.value, mask.value, range.value]);
  const shown = pixels.value;
  useEffect(() => {
    const element = canvas.current;
    if (!element || !texture || !shown || shown.pixels.length !== 4 * texture.width * texture.height) return;
    element.width = texture.width;
    element.height = texture.height;
    const data = new ImageData(new Uint8ClampedArray(shown.pixels), texture.width, texture.height);
    element.getContext('2d')?.putImageData(data, 0, 0);
  }, [texture, shown]);
  if (!texture) return <p class="panel-note muted">Reading the uploads…</p>;
  if (texture.wrong !== '' || texture.width === 0) {
    return <p class="panel-note muted">{texture.wrong || 'This level has no image at this call.'}</p>;
  }
  const { width, height, depth } = texture;
  const scale = zoom.value === 0 ? fitting(width, height) : zoom.value;
  const point = (event: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    const x = Math.floor(((event.clientX - box.left) / box.width) * width);
    const row = Math.floor(((event.clientY - box.top) / box.height) * height);
    const y = flipped.value ? height - 1 - row : row;
    void survey.ask.texel(x, y, slice.value).then((texel) => {
      if (!texel || texel.length === 0) return;
      const values = texture.channels.map(([name, i]) => `${name} ${numberText(texel[i]!, texture.isInteger)}`);
      pointed.value = `${x}, ${y}: ${values.join('  ')}`;
    });
  };
  const save = () => {
    canvas.current?.toBlob((blob) => {
      if (blob) saveBlob(blob, `texture-${resources.name[at]}-level-${level.value}.png`);
    });
  };
  return (
    <div class="texture column grow">
      <div class="panel-bar">
        <div class="panel-group">
          {resources.levels[at]! > 1 && (
            <Choice label="Level" count={resources.levels[at]!} value={level} text={(i) => `Level ${i}`} />
          )}
          {depth > 1 && (
            <Choice
              label="Slice"
              count={depth}
              value={slice}
              text={(i) => (resources.facts[at]!.startsWith('cube') ? (FACES[i % 6] ?? '') : `Slice ${i}`)}
            />
          )}
          <select
            aria-label="Zoom"
            value={zoom.value}
            onChange={(event) => {
              zoom.value = Number(event.currentTarget.value);
            }}
          >
            <option value={0}>Fit</option>
            {ZOOMS.map((it) => (
              <option key={it} value={it}>
                {it * 100} %
              </option>
            ))}
          </select>
        </div>
        <div class="panel-group">
          {texture.channels.map(([name], i) => (
            <label key={name}>
              <input
                type="checkbox"
                checked={(mask.value & (1 << i)) !== 0}
                onChange={() => {
                  mask.value ^= 1 << i;
                }}
              />
              {name}
            </label>
          ))}
        </div>
        <div class="panel-group">
          <select
            aria-label="Range"
            title="Values shown as black and white"
            value={typeof range.value === 'string' ? range.value : 'hand'}
            onChange={(event) => {
              const value = event.currentTarget.value;
              range.value = value === 'hand' ? [shown?.low ?? 0, shown?.high ?? 1] : (value as 'usual' | 'whole');
            }}
          >
            <option value="usual">{texture.isInteger ? 'All numbers' : '0 to 1'}</option>
            {!texture.isInteger && <option value="whole">Least to greatest</option>}
            <option value="hand">By hand</option>
          </select>
          {typeof range.value !== 'string' &&
            ([0, 1] as const).map((end) => (
              <input
                key={end}
                class="texture-limit"
                type="number"
                step="any"
                aria-label={end === 0 ? 'Black' : 'White'}
                value={(range.value as readonly number[])[end]}
                onInput={(event) => {
                  const number = Number(event.currentTarget.value);
                  const [low, high] = range.value as readonly [number, number];
                  if (Number.isFinite(number)) range.value = end === 0 ? [number, high] : [low, number];
                }}
              />
            ))}
        </div>
        <div class="panel-group">
          <label title="Put the last row first">
            <input
              type="checkbox"
              checked={flipped.value}
              onChange={() => {
                flipped.value = !flipped.value;
              }}
            />
            Flip
          </label>
          <button type="button" class="plain link" onClick={save}>
            Save PNG
          </button>
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is within reach of the keyboard. */}
      <section class="texture-box grow" tabIndex={0} aria-label="Image">
        <canvas
          ref={canvas}
          class={flipped.value ? 'flipped' : undefined}
          style={{ width: `${width * scale}px`, height: `${height * scale}px` }}
          aria-label={`Texture ${resources.name[at]}`}
          role="img"
          onMouseMove={point}
          onMouseLeave={() => {
            pointed.value = '';
          }}
        />
      </section>
      <p class="texture-note ellipsis rigid small muted">
        {pointed.value || `${width} × ${height} ${texture.format}`}
        {pointed.value === '' &&
          shown &&
          range.value !== 'usual' &&
          `, black ${numberText(shown.low, false)}, white ${numberText(shown.high, false)}`}
        {pointed.value === '' &&
          shown &&
          ` · holds ${numberText(shown.least, false)} to ${numberText(shown.most, false)}`}
        {texture.written !== null && (
          <>
            {' · '}
            <button type="button" class="plain link" onClick={() => go(texture.written!)}>
              call {formatCount(texture.written)}
            </button>{' '}
            had it drawn to; the image is from before
          </>
        )}
        {texture.written === null && shown && !shown.isKnown && ' · parts were never uploaded'}
        {texture.isCut && ' · an upload of more than 64 MiB was cut'}
      </p>
    </div>
  );
}

/** The zoom at which an image fits the box, roughly: a power of two. */
function fitting(width: number, height: number): number {
  const fit = Math.min(480 / width, 200 / height);
  return 2 ** Math.max(-4, Math.min(4, Math.floor(Math.log2(fit))));
}

function numberText(value: number, isInteger: boolean): string {
  return isInteger ? String(value) : formatNumber(value);
}

interface ChoiceProps {
  readonly label: string;
  readonly count: number;
  readonly value: { value: number };
  readonly text: (i: number) => string;
}

function Choice({ label, count, value, text }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      value={value.value}
      onChange={(event) => {
        value.value = Number(event.currentTarget.value);
      }}
    >
      {Array.from({ length: count }, (_, i) => (
        <option key={i} value={i}>
          {text(i)}
        </option>
      ))}
    </select>
  );
}
