import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { formatCount, formatNumber } from '../../../base/format.ts';
import type { ResourceColumns, TextureLevel, TexturePixels } from '../../../base/survey_protocol.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { saveBlob } from '../../../trace/save_blob.ts';
import type { Survey } from '../../../trace/survey.ts';
import { pixelsOf, texelOf, useWritten } from './written.ts';

interface Props {
  readonly open: OpenTrace;
  readonly survey: Survey;
  readonly resources: ResourceColumns;
  readonly at: number;
  readonly call: number;
  /** Of a renderbuffer: the latest call that draws to it. */
  readonly drawn: number | null;
  readonly go: (call: number) => void;
}

const FACES = ['+x', '−x', '+y', '−y', '+z', '−z'];
const ZOOMS = [0.25, 0.5, 1, 2, 4, 8, 16, 32];

/** A texture or renderbuffer as an image: as its uploads have left it, or draws and copies, as far as they are replayed. */
export function TextureImage({ open, survey, resources, at, call, drawn, go }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const level = useSignal(0);
  const slice = useSignal(0);
  /** A bit for each channel. */
  const mask = useSignal(15);
  /** What is black and white: `usual`, from the least to the greatest number, or two numbers. */
  const range = useSignal<'usual' | 'whole' | readonly [number, number]>('usual');
  const zoom = useSignal(0);
  /** null: what was drawn has its last row first, as in pictures. */
  const isFlipped = useSignal<boolean | null>(null);
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
  const isTexture = resources.kind[at] === 'texture';
  const written = isTexture ? (texture?.written ?? null) : drawn;
  const found = useWritten(
    open,
    written === null
      ? null
      : {
          kind: isTexture ? 'texture' : 'renderbuffer',
          group: resources.group[at]!,
          name: resources.name[at]!,
          level: level.value,
          slice: slice.value,
          call,
        },
  ).value;
  const image = found?.image ?? null;
  const replayed = useMemo(() => {
    if (!image) return null;
    if (range.value === 'usual') return pixelsOf(image, mask.value, null);
    if (range.value !== 'whole') return pixelsOf(image, mask.value, range.value);
    const { least, most } = pixelsOf(image, mask.value, null);
    return pixelsOf(image, mask.value, [least, most]);
  }, [image, mask.value, range.value]);
  const about = image ?? texture;
  const shown = image ? replayed : pixels.value;
  useEffect(() => {
    const element = canvas.current;
    if (!element || !about || !shown || shown.pixels.length !== 4 * about.width * about.height) return;
    element.width = about.width;
    element.height = about.height;
    const data = new ImageData(new Uint8ClampedArray(shown.pixels), about.width, about.height);
    element.getContext('2d')?.putImageData(data, 0, 0);
  }, [about, shown]);
  if (!texture) return <p class="panel-note muted">Reading the uploads…</p>;
  const link = (to: number) => (
    <button type="button" class="plain link" onClick={() => go(to)}>
      call {formatCount(to)}
    </button>
  );
  if (!about || (!image && (texture.wrong !== '' || texture.width === 0))) {
    if (written !== null && found === null) return <p class="panel-note muted">Replaying the trace up to this call…</p>;
    return (
      <p class="panel-note muted">
        {found?.problem || texture.wrong || 'This level has no image at this call.'}
        {written !== null && <> It was drawn to by {link(found?.call ?? written)}.</>}
      </p>
    );
  }
  const { width, height, depth, channels, isInteger } = about;
  const flipped = isFlipped.value ?? image !== null;
  const scale = zoom.value === 0 ? fitting(width, height) : zoom.value;
  const point = (event: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    const x = Math.floor(((event.clientX - box.left) / box.width) * width);
    const row = Math.floor(((event.clientY - box.top) / box.height) * height);
    const y = flipped ? height - 1 - row : row;
    const say = (texel: ArrayLike<number> | null) => {
      if (!texel || texel.length === 0) return;
      const values = channels.map(([name, i]) => `${name} ${numberText(texel[i]!, isInteger)}`);
      pointed.value = `${x}, ${y}: ${values.join('  ')}`;
    };
    if (image) say(texelOf(image, x, y));
    else void survey.ask.texel(x, y, slice.value).then(say);
  };
  const save = () => {
    canvas.current?.toBlob((blob) => {
      if (blob) saveBlob(blob, `${resources.kind[at]}-${resources.name[at]}-level-${level.value}.png`);
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
          {channels.map(([name], i) => (
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
            <option value="usual">{isInteger ? 'All numbers' : '0 to 1'}</option>
            {!isInteger && <option value="whole">Least to greatest</option>}
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
              checked={flipped}
              onChange={() => {
                isFlipped.value = !flipped;
              }}
            />
            Flip
          </label>
          <button type="button" class="plain link" onClick={save}>
            Save PNG
          </button>
        </div>
      </div>
      {found && found.problem !== '' && (
        <p class="panel-note" role="alert">
          Only uploads are shown. {found.problem}
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is within reach of the keyboard. */}
      <section class="texture-box grow" tabIndex={0} aria-label="Image">
        <canvas
          ref={canvas}
          class={flipped ? 'flipped' : undefined}
          style={{ width: `${width * scale}px`, height: `${height * scale}px` }}
          aria-label={`${isTexture ? 'Texture' : 'Renderbuffer'} ${resources.name[at]}`}
          role="img"
          onMouseMove={point}
          onMouseLeave={() => {
            pointed.value = '';
          }}
        />
      </section>
      <p class="texture-note ellipsis rigid small muted">
        {pointed.value || `${width} × ${height} ${texture.format || channels.map(([name]) => name).join('')}`}
        {pointed.value === '' &&
          shown &&
          range.value !== 'usual' &&
          `, black ${numberText(shown.low, false)}, white ${numberText(shown.high, false)}`}
        {pointed.value === '' &&
          shown &&
          ` · holds ${numberText(shown.least, false)} to ${numberText(shown.most, false)}`}
        {image && found?.call != null && <> · replayed, drawn to by {link(found.call)}</>}
        {!image && written !== null && (
          <>
            {' · '}
            {link(found?.call ?? written)} had it drawn to; the image is from before{!found && ', replaying…'}
          </>
        )}
        {written === null && shown && !shown.isKnown && ' · parts are not known'}
        {!image && texture.isCut && ' · an upload of more than 64 MiB was cut'}
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
