import type { FileBlockService } from '../../../base/file_protocol.ts';
import { shortened } from '../../../base/format.ts';
import { connect } from '../../../base/remote.ts';
import type { OutputsFound, VerticesAsked } from '../../../trace/vertex_outputs.ts';
import { loadDecompressors } from '../../../trace/worker/decompressors.ts';
import { sentenceOf } from '../../../trace/worker/errors.ts';
import { FileBlocks } from '../../../trace/worker/file_blocks.ts';
import { startReader } from '../../../trace/worker/loading.ts';
import { RecordFile } from '../../../trace/worker/record_file.ts';
import { reportTrap } from '../../../trace/worker/serving.ts';
import type { WrittenAsked, WrittenFound } from '../../../trace/written.ts';
import init, { type Commands, Player, provideDecompressors, type Target } from '../../../worker/wasm/unspool_replay.js';
import { beginOf } from '../gl/frames.ts';
import { breath, isSoftware, ownGpu, type Ran, type ReplayGpu, softwareOf } from '../gl/gpu.ts';
import { depthsOf } from '../gl/reading.ts';
import type { Watch } from '../gl/views.ts';
import type {
  Frames,
  Limit,
  Picture,
  PictureView,
  Refusal,
  ReplayFailure,
  ReplayOpening,
  ReplayReports,
  ReplayService,
  ShaderFailure,
  Shortcuts,
  SmallPicture,
  Touched,
} from '../protocol.ts';
import type { Ask, Film, Goal, Open, Way } from './replay_asks.ts';
import { createKeyframes, type Keyframe } from './replay_keyframes.ts';
import { compared, cover, flip, greyOf, overdrawn, within } from './replay_pictures.ts';
import { leftOut, stoppedLoop } from './replay_reasons.ts';
import { contentOf } from './replay_written.ts';

/** Calls of a turn: at first, at most and at least. Between two turns messages are heard. */
const FIRST_TURN = 2000;
const TURN = 1 << 16;
const SHORT_TURN = 16;
/** Calls of a turn that are looked at without a GPU. */
const LOOKED = 16_000;
/** Calls of a turn in which WebGL2 is asked after each command. */
const CHECKED_TURN = 100;
/** Milliseconds of a turn above which the next one is shorter, and below which it is longer. */
const LONG_TURN_MS = 200;
const SHORT_TURN_MS = 40;
/**
 * Minimum milliseconds between two reports. The page is drawn again with each of them, which without a GPU takes 50 ms of the thread that also
 * draws the picture.
 */
const REPORT_MS = 400;
/** Bytes of a trace above which nothing is replayed without a GPU before the user insists. */
const LARGE = 64 << 20;

const NOTHING: Commands = { words: new Uint32Array(), bytes: new Uint8Array() };
/** Milliseconds between two looks at what is executed, and those after which it is ended for something more urgent. */
const [LOOK_MS, URGENT_MS] = [50, 500];

/** Milliseconds that the GPU may take for a small picture. */
const FILM_MS = 20_000;
const USUAL: Shortcuts = { skips: true, copyMs: 500, keepCalls: null };

const load = startReader(() => init());

/** A worker without a file; `open` comes first. */
export function createReplayWorker(shortcuts = USUAL): ReplayService {
  let page!: ReplayReports;
  let reject!: (failure: ReplayFailure) => void;
  let opened: Promise<Open | null> | null = null;
  /** The latest question; an older one ends at its next turn. */
  let latest: Ask | null = null;
  let film: Film | null = null;
  let busy = false;
  let looking: Promise<Frames> | null = null;
  let reportedAt = 0;
  /** How far the replay is: a share, and the call. */
  let reached: readonly [number, number] = [0, 0];
  let turn = FIRST_TURN;
  /** Calls whose commands WebGL2 refused, or whose shaders were stopped, that the page does not know yet. */
  const refusals: Refusal[] = [];
  /** WebGL2 has refused something: from now on it is asked after each command. */
  let isChecked = false;
  let hasErrors = false;
  let stopped: ReplayFailure | null = null;
  /** The trace demands too much from a call on that is not executed. */
  let cut: ReplayFailure | null = null;
  /** The picture that is being made is wanted as it is. */
  let isEnough = false;
  /** Errors that no command has caused are not looked for again. */
  let looksForErrors = true;

  const fail = (thrown: unknown, limit: Limit = '', isPassing = false) =>
    reject({ sentence: sentenceOf(thrown), limit, isPassing });
  const report = (what: 'looking' | 'replaying', share: number, call: number) => {
    if (performance.now() - reportedAt < REPORT_MS) return;
    reportedAt = performance.now();
    page.progress(what, Math.min(1, share), call);
  };
  const openFile = async (
    { file, index, megabytes, isAnyway, isAsked }: ReplayOpening,
    port: MessagePort | null,
  ): Promise<Open | null> => {
    const gpu = ownGpu();
    const { renderer } = gpu;
    gpu.onwait = () => report('replaying', ...reached);
    if (!isAsked && isSoftware(renderer)) {
      fail(`This computer draws without a GPU (${softwareOf(renderer)}), so pictures are slow.`, 'gpu');
      return null;
    }
    if (!isAnyway && file.size > LARGE && isSoftware(renderer)) {
      const driver = shortened(renderer, 80);
      fail(
        `This computer draws without a GPU (${driver}), and the trace is large: its pictures may take minutes.`,
        'gpu',
      );
      return null;
    }
    await load();
    page.progress('looking', 0, 0);
    const blocks = new FileBlocks(file, 0, port && connect<FileBlockService>(port).remote);
    const [surveyed, played] = [new RecordFile(blocks), new RecordFile(blocks)];
    for (const read of [surveyed, played]) read.isPatient = true;
    const survey = new Player(index, surveyed, megabytes, isSoftware(renderer));
    if (survey.needsDecompressor()) await loadDecompressors(provideDecompressors);
    const player = survey.drawing(played);
    if (shortcuts.keepCalls !== null) player.setSpacing(shortcuts.keepCalls);
    return {
      player,
      survey,
      played,
      surveyed,
      gpu,
      keyframes: createKeyframes(gpu.copies),
      bytes: megabytes * 2 ** 20,
    };
  };
  const look = (open: Open): Promise<Frames> => {
    looking ??= lookOnce(open);
    return looking;
  };
  const lookOnce = async ({ survey, surveyed }: Open): Promise<Frames> => {
    survey.seek(Number.MAX_SAFE_INTEGER, 0, 0);
    while (!survey.step(LOOKED)) {
      const { at, count } = survey.progress();
      report('looking', at / Math.max(1, count), at);
      await breath();
      if (surveyed.isLate) await surveyed.arrival();
    }
    const { from, to, draws } = survey.frames();
    // The last frame may have no end.
    const { at } = survey.progress();
    const frames = { from, to: to.map((end) => Math.min(end, at)), draws };
    // The page has its own copy.
    page.coverage(survey.verdict(), structuredClone(frames));
    return frames;
  };
  /** The copy that the way to a call can begin with. null if nothing is drawn again, or less than from there on. */
  const keyframeOf = ({ player, keyframes }: Open, way: Way): Keyframe | null => {
    const { call, skip, isWireframe, watch } = way;
    if (isWireframe || !shortcuts.skips) return null;
    const watched = watch?.from ?? Number.POSITIVE_INFINITY;
    const found = keyframes.before(Math.min(call, watched - 1), skip);
    const at = player.beginsAnew(call, ...skip) ? 0 : player.progress().at;
    return found && found.call > at && found.call >= Math.min(...skip) ? found : null;
  };
  /** Everything is as after a call. Returns false if something more urgent came. */
  const advance = async (open: Open, way: Way): Promise<boolean> => {
    const { player, gpu } = open;
    player.wireframe(way.isWireframe);
    gpu.watch(way.watch);
    const keyframe = keyframeOf(open, way);
    if (keyframe) {
      const { call, skip } = keyframe;
      const toIt = { ...way, call, skip: [call + 1, call + 1] as const, patience: Number.POSITIVE_INFINITY };
      if (!(await execute(open, toIt))) return false;
      gpu.copies.put(call);
      player.restored(...skip);
    }
    return execute(open, way);
  };
  /** Why a picture is as it is at this place. */
  const endedAt = (patience: number, where: string): ReplayFailure => {
    const took = `The GPU took more than ${Math.round(patience / 1000)} seconds, so this picture ends ${where}.`;
    const sentence = isEnough ? `Stopped ${where}: what follows is missing.` : took;
    return { sentence, limit: 'time', isPassing: true };
  };
  /** Executes everything up to a call. Returns false if something more urgent came. */
  const execute = async ({ player, played, gpu, keyframes, bytes }: Open, way: Way): Promise<boolean> => {
    const { call, skip, patience, isOver } = way;
    const isPlain = !way.isWireframe && shortcuts.skips && !way.watch && !isChecked;
    if (player.seek(call, ...skip)) gpu.reset(player.kept());
    stopped = null;
    let taken = 0;
    /** Nothing is under way. */
    const settle = () => run(gpu, NOTHING, Number.POSITIVE_INFINITY, () => false);
    for (;;) {
      const began = performance.now();
      const done = player.step(isChecked ? Math.min(turn, CHECKED_TURN) : turn);
      const { words, bytes: content } = player.take();
      if (player.takeStartedOver()) gpu.reset(new Uint32Array());
      const executed = performance.now();
      const { at } = player.progress();
      // Where draws are left out, there is often nothing to be done, and nothing to be waited for.
      const commands = { words, bytes: content };
      const ended = words.length > 0 ? await run(gpu, commands, patience - taken, isOver) : null;
      const now = performance.now();
      taken += now - executed;
      if (ended !== null) {
        // What follows of the commands is not to be relied on, nor are textures that it uploads.
        player.interrupted(words);
        stopped = endedAt(patience, `within call ${ended}`);
        return !isOver();
      }
      // A turn that ended because bytes were late says nothing.
      if (played.isLate) await played.arrival();
      else if (now - began > LONG_TURN_MS) turn = Math.max(SHORT_TURN, turn >> 1);
      else if (now - began < SHORT_TURN_MS) turn = Math.min(TURN, turn << 1);
      if (done) {
        await settle();
        return true;
      }
      if (isPlain && keyframes.worked(now - executed, shortcuts.copyMs))
        keyframes.make(player.drawn() ?? null, skip, bytes - player.bytes);
      if (taken > patience || isEnough) {
        stopped = endedAt(patience, `after call ${at}`);
        await settle();
        return true;
      }
      reached = [at / Math.max(1, call), at];
      report('replaying', ...reached);
      await breath();
      if (isOver()) return false;
    }
  };
  /** Executes commands while the patience lasts and nothing more urgent comes. Returns the call within which it was ended, or null. */
  const run = async (gpu: ReplayGpu, { words, bytes }: Commands, patience: number, isOver: () => boolean) => {
    const begun = performance.now();
    const timer = setInterval(() => {
      const taken = performance.now() - begun;
      if (taken > patience || isEnough || (taken > URGENT_MS && isOver())) gpu.interrupt();
    }, LOOK_MS);
    const ran = await gpu.run(words, bytes, isChecked).finally(() => clearInterval(timer));
    note(ran);
    return ran.interrupted;
  };
  const note = (ran: Ran) => {
    hasErrors ||= ran.hasErrors;
    refusals.push(...ran.refused);
    refusals.push(...ran.cut.map(stoppedLoop));
  };
  const targetOf = ({ player }: Open): Target | null => {
    const target = player.target() ?? null;
    return target && target.width > 0 ? target : null;
  };
  const take = (open: Open): Picture | null => {
    const { player, gpu } = open;
    const target = targetOf(open);
    if (!target) return null;
    const { framebuffer, width, height, isWindow } = target;
    // Without any, what was ended may not have come to what is drawn to.
    const pixels =
      gpu.reading.colors(framebuffer, { width, height }) ?? (stopped && new Uint8ClampedArray(4 * width * height));
    if (!pixels) return null;
    flip(pixels, width, height);
    if (isWindow) cover(pixels);
    const { sentence, limit } = stopped ?? cut ?? { sentence: player.halted, limit: player.lacksBytes ? 'bytes' : '' };
    return { width, height, pixels, halted: sentence, limit, changed: null, note: '' };
  };
  /** Executes the frame again, up to a call, while what is drawn to is watched. */
  const again = async (open: Open, way: Way, frames: Frames, watch: (target: Target, from: number) => Watch) => {
    if (!(await advance(open, way))) return false;
    const target = targetOf(open);
    if (!target) return true;
    open.player.forget();
    return advance(open, { ...way, watch: watch(target, beginOf(frames, way.call)) });
  };
  const depthOf = (open: Open, color: Picture | null): Picture | null => {
    const target = targetOf(open);
    if (!target || !color) return null;
    const { width, height } = target;
    const packed = open.gpu.reading.depths(target.framebuffer, { width, height });
    // The state that reading depths has changed is not known to the player.
    open.player.forget();
    if (!packed) return null;
    const depths = depthsOf(packed);
    flip(depths, width, height, 1);
    const { pixels, near, far } = greyOf(depths);
    const note =
      near >= 1 ? 'No depth was written.' : `Depth from ${near.toFixed(6)} (light) to ${far.toFixed(6)} (dark).`;
    return { ...color, pixels, note };
  };
  /** Not as far as the call that demands too much: it is known, and need not be tried. */
  const wayTo = ({ survey }: Open, what: Goal & Partial<Way>): Way => {
    cut = null;
    const [windows = 0, surfaces = 0] = shortcuts.skips ? survey.skipBefore(what.call) : [];
    const way: Way = { isWireframe: false, watch: null, ...what, skip: [windows, surfaces] };
    const { at } = survey.progress();
    if (survey.halted === '' || way.call < at) return way;
    cut = { sentence: survey.halted, limit: survey.lacksBytes ? 'bytes' : '', isPassing: true };
    return { ...way, call: Math.max(0, at - 1) };
  };
  const picture = async (open: Open, view: PictureView, goal: Goal): Promise<Picture | null> => {
    const { player, gpu } = open;
    const frames = await look(open);
    const way = wayTo(open, { ...goal, isWireframe: view === 'wireframe' });
    if (view === 'overdraw') {
      const watch = ({ framebuffer }: Target, from: number) => ({ kind: 'count' as const, framebuffer, from });
      if (!(await again(open, way, frames, watch))) return null;
      const counted = take(open);
      player.forget();
      if (!counted) return null;
      if (!gpu.isCounting()) {
        // There are no numbers in it, but what the window had before.
        overdrawn(counted.pixels.fill(0));
        return { ...counted, note: 'This frame has drawn nothing here yet.' };
      }
      const { most, sum } = overdrawn(counted.pixels);
      const mean = (sum / (counted.width * counted.height)).toFixed(2);
      return {
        ...counted,
        note: `Pixels are drawn over ${mean} times on average, ${most === 255 ? '255 or more' : most} at most.`,
      };
    }
    let earlier: Picture | null = null;
    if (view === 'changed' && goal.call > 0) {
      if (!(await advance(open, { ...way, call: goal.call - 1 }))) return null;
      earlier = take(open);
    }
    if (!(await advance(open, way))) return null;
    const after = take(open);
    if (view === 'depth') return depthOf(open, after);
    return after && view === 'changed' ? compared(earlier, after) : after;
  };
  const pixel = async (open: Open, x: number, y: number, goal: Goal): Promise<Touched | null> => {
    const frames = await look(open);
    const way = wayTo(open, goal);
    const watch = ({ framebuffer, height }: Target, from: number): Watch => ({
      kind: 'pixel',
      framebuffer,
      from,
      x,
      y: height - 1 - y,
    });
    if (!(await again(open, way, frames, watch))) return null;
    return open.gpu.touches();
  };
  const outputs = async (open: Open, asked: VerticesAsked, goal: Goal): Promise<OutputsFound | null> => {
    await look(open);
    const { player, survey, gpu } = open;
    const way = wayTo(open, goal);
    const declared = (program: number) => player.vertexOutputs(program)?.all ?? [];
    if (!(await advance(open, { ...way, call: way.call - 1 }))) return null;
    gpu.outputs.want(stopped ? null : { ...asked, declared });
    const isDone = stopped !== null || (await advance(open, way));
    const found = gpu.outputs.take();
    if (!isDone) return null;
    if (found) return { outputs: found, problem: '' };
    const ended = stopped ?? cut;
    return { outputs: null, problem: ended?.sentence ?? leftOut(asked.call, survey.verdict(), refusals) };
  };
  /** Everything after a call, where nothing that framebuffers hold is left out. Asks for errors after each command if there were any. */
  const whole = async (open: Open, goal: Goal): Promise<boolean> => {
    hasErrors = false;
    const way = wayTo(open, goal);
    const all = { ...way, skip: [way.skip[0], 0] } as const;
    if (!(await advance(open, all))) return false;
    if (!hasErrors || !looksForErrors || isChecked) return true;
    isChecked = true;
    open.player.forget();
    return advance(open, all);
  };
  const written = async (open: Open, asked: WrittenAsked, goal: Goal): Promise<WrittenFound | null> => {
    await look(open);
    if (!(await whole(open, goal))) return null;
    const ended = stopped ?? cut;
    return ended ? { call: null, problem: ended.sentence, image: null, bytes: null } : contentOf(open, asked, refusals);
  };
  const failuresOf = ({ player, gpu }: Open): ShaderFailure[] =>
    gpu.takeFailures().map(({ program, fragment, log, shown }) => {
      const shader = player.shader(program, fragment);
      return { call: shader?.call ?? 0, source: shader?.source ?? '', log, shown };
    });
  const pictured = async (open: Open, view: PictureView, goal: Goal) => {
    hasErrors = false;
    let found = await picture(open, view, goal);
    if (!goal.isOver() && hasErrors && looksForErrors && !isChecked) {
      // WebGL2 refused something. Which command it was is only known by asking after each one.
      isChecked = true;
      open.player.forget();
      found = await picture(open, view, goal);
      looksForErrors = refusals.length > 0;
      isChecked = looksForErrors;
    }
    if (goal.isOver()) return null;
    return { picture: found, failures: failuresOf(open), refusals: refusals.splice(0) };
  };
  /** The next small picture. Those that come later in the trace are cheapest, because what is before them is done. */
  const nextOfFilm = async (open: Open, ask: Film) => {
    const { at } = open.player.progress();
    const [call = 0] = ask.calls.filter((each) => each > at).concat(ask.calls);
    const left = ask.calls.filter((each) => each !== call);
    await look(open);
    const isOver = () => latest !== null || film !== ask;
    const way = wayTo(open, { call, patience: FILM_MS, isOver });
    if (!(await advance(open, way))) return;
    if (stopped) {
      // The others would take as long.
      if (film === ask) film = null;
      for (const each of ask.calls) page.film(each, null);
      return;
    }
    const target = targetOf(open);
    let small: SmallPicture | null = null;
    if (target) {
      const size = within(target.width, target.height, ask);
      const { width, height } = target;
      const pixels = open.gpu.reading.small(target.framebuffer, { width, height }, size);
      if (pixels) {
        flip(pixels, size.width, size.height);
        cover(pixels);
      }
      small = pixels && { ...size, pixels };
    }
    if (film === ask) film = left.length > 0 ? { ...ask, calls: left } : null;
    page.film(call, small);
  };
  const drop = () => {
    latest?.drop();
    [latest, film] = [null, null];
  };
  const answer = async () => {
    if (busy) return;
    busy = true;
    try {
      const open = await opened;
      while (open && (latest || film)) {
        if (latest) await latest.answer(open);
        else if (film) await nextOfFilm(open, film);
        await breath();
      }
    } catch (thrown) {
      drop();
      fail(thrown, '', true);
      reportTrap(thrown);
    } finally {
      busy = false;
    }
  };

  /** Asks in place of what was asked before. */
  const ask = <T>(goal: Omit<Goal, 'isOver'>, find: (open: Open, goal: Goal) => Promise<T | null>) =>
    new Promise<T | null>((resolve) => {
      const own: Ask = {
        answer: async (open) => {
          const found = await find(open, { ...goal, isOver: () => latest !== own });
          if (latest !== own) return;
          [latest, isEnough] = [null, false];
          resolve(found);
        },
        drop: () => resolve(null),
      };
      latest?.drop();
      [latest, isEnough] = [own, false];
      void answer();
    });

  return {
    open: (opening, reports, blocks) => {
      page = reports;
      const failed = new Promise<never>((_, fails) => {
        reject = fails;
      });
      opened = openFile(opening, blocks);
      opened.catch((thrown) => fail(thrown));
      return failed;
    },
    look: () => {
      void opened?.then((open) => open && look(open)).catch((thrown) => fail(thrown));
    },
    picture: (call, view, patience) => ask({ call, patience }, (open, goal) => pictured(open, view, goal)),
    pixel: (call, x, y, patience) => ask({ call, patience }, (open, goal) => pixel(open, x, y, goal)),
    outputs: (asked, patience) => ask({ call: asked.call, patience }, (open, goal) => outputs(open, asked, goal)),
    written: (asked, patience) => ask({ call: asked.call, patience }, (open, goal) => written(open, asked, goal)),
    film: (calls, width, height) => {
      film = calls.length > 0 ? { calls, width, height } : null;
      void answer();
    },
    enough: () => {
      isEnough = latest !== null;
    },
    stop: async () => {
      drop();
      const open = await opened?.catch(() => null);
      await open?.gpu.end().catch(() => undefined);
    },
  };
}
