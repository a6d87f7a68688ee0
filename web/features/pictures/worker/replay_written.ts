import { formatCount } from '../../../base/format.ts';
import type { WrittenAsked, WrittenFound } from '../../../trace/written.ts';
import type { Refusal } from '../protocol.ts';
import type { Open } from './replay_asks.ts';
import { leftOut, notReplayed } from './replay_reasons.ts';

/** What an object holds after the calls that were executed, or why that is not what it holds in the trace. */
export function contentOf(
  { player, survey, gpu }: Open,
  { kind, group, name, level, slice }: WrittenAsked,
  refusals: readonly Refusal[],
): WrittenFound {
  const none = (problem: string, call: number | null) => ({ call, problem, image: null, bytes: null });
  const found = player.written(group, name, kind === 'texture' ? level : kind === 'renderbuffer' ? -1 : -2);
  if (!found) return none('The replay has no such object at this call.', null);
  const call = found.call < 0 ? null : found.call;
  if (found.problem !== '') return none(notReplayed(found.problem), call);
  const lacks = refusals.find((it) => it.isMissing && it.call === call)?.call ?? found.lacks;
  if (lacks >= 0) {
    const draw = `call ${formatCount(lacks)}`;
    return none(leftOut(lacks, survey.verdict(), refusals, draw, ', which draws to it'), call);
  }
  if (kind === 'buffer') return { call, problem: '', image: null, bytes: found.bytes };
  const [texture = 0, renderbuffer = 0, binding = 0, width = 0, height = 0, depth = 0, format = 0] = found.surface;
  if (width === 0 || slice >= depth) return none('It has no image at this call.', call);
  const surface = { texture, renderbuffer, binding, width, height, format };
  const image = gpu.reading.surface(surface, slice, level);
  // The state that reading depths has changed is not known to the player.
  if (image?.perPixel === 1) player.forget();
  return image
    ? { call, problem: '', image: { ...image, depth }, bytes: null }
    : none('WebGL2 does not read it.', call);
}
