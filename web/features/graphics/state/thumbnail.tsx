import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Thumbnail as Small } from '../../../base/survey_protocol.ts';
import type { Places } from '../../../page/page.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { surveyOf } from '../../../trace/surveys.ts';
import { thumbnailsOf } from '../thumbnails.ts';

/** A small picture of a texture at a call, read once it is in sight. It has its size before that, so that nothing moves. */
export function Thumbnail({ open, place }: { readonly open: OpenTrace; readonly place: Places['resource'] }) {
  const box = useRef<HTMLSpanElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const isSeen = useSignal(false);
  const found = useSignal<Small | null>(null);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      isSeen.value = entries.some(({ isIntersecting }) => isIntersecting);
    });
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  // The survey begins with the first thumbnail that is seen.
  const isReady = isSeen.value && surveyOf(open).resources.value !== null;
  const { kind, name, call } = place;
  useEffect(() => {
    if (!isReady) return undefined;
    let isCurrent = true;
    void thumbnailsOf(open)
      .of({ kind, name, call }, () => isCurrent)
      .then((small) => {
        if (isCurrent) found.value = small;
      });
    return () => {
      isCurrent = false;
    };
  }, [isReady, kind, name, call]);
  const small = found.value;
  useEffect(() => {
    if (!small || !canvas.current) return;
    const { width, height, pixels } = small;
    canvas.current.getContext('2d')?.putImageData(new ImageData(new Uint8ClampedArray(pixels), width, height), 0, 0);
  }, [small]);
  return (
    <span ref={box} class="gl-thumbnail" aria-hidden="true">
      {small && <canvas ref={canvas} width={small.width} height={small.height} />}
    </span>
  );
}
