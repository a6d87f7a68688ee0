import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { formatCount } from '../../../base/format.ts';
import { differencesOf } from '../../../page/differences.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { Segments } from '../../../parts/segments.tsx';
import { SideMark } from '../../../parts/side_mark.tsx';
import { alignmentOf } from '../../../timeline/alignment.ts';
import { framePairsOf } from '../../../timeline/frame_pairs.ts';
import { type OpenTrace, sideOf } from '../../../timeline/open_trace.ts';
import { CallLink, selectCall } from '../call_link.tsx';
import { Missing } from '../missing.tsx';
import type { Picture } from '../protocol.ts';
import { replayOf } from '../replays.ts';
import { type Comparing, comparingOf, otherOf, picturesOf, type Side, type Sides, sidesOf } from './comparing.ts';
import { type Searching, searchingOf } from './search.ts';
import { type Mode, Viewer } from './viewer.tsx';
import './both.css';

/** Pictures, and what they are of. */
interface Shown {
  readonly key: string;
  readonly sides: Sides;
  readonly pictures: readonly [Picture | null, Picture | null];
}

interface Props {
  readonly open: OpenTrace;
  /** The call of the picture of the trace in front. null without a frame. */
  readonly call: ReadonlySignal<number | null>;
}

/** Two pictures that are compared: of both traces, or of two moments of one. */
export function Compared({ open, call }: Props) {
  const comparing = comparingOf(open);
  const sides = useComputed(() => (call.value === null ? 'Select a call or a frame.' : sidesOf(open, call.value)));
  const shown = useSignal<Shown | null>(null);
  const searching = searchingOf(open);
  const now = sides.value;
  const isPair = typeof now !== 'string';
  const key = isPair ? `${now.a.open.id} ${now.a.call} ${now.b.open.id} ${now.b.call}` : '';
  const limits = isPair ? [now.a.replay.limits.value, now.b.replay.limits.value] : [];
  const other = otherOf(open);
  const isRead = other?.trace.status.value.at === 'ready';
  const otherLimits = other && replayOf(other).limits.value;
  useEffect(() => {
    if (other && isRead) replayOf(other).look();
  }, [other, isRead, otherLimits]);
  const pair = comparing.against.value === 'other' ? open.pair.value : null;
  const isByCalls = pair !== null && framePairsOf(pair).by.value === 'calls';
  useEffect(() => {
    if (pair && isByCalls) differencesOf(pair).wanted.value = true;
  }, [pair, isByCalls]);
  useEffect(() => {
    if (!isPair) return undefined;
    searching.look([now.a.call, now.b.call]);
    const controller = new AbortController();
    void picturesOf(now, controller.signal).then((pictures) => {
      if (pictures) shown.value = { key, sides: now, pictures };
    });
    return () => controller.abort();
  }, [key, ...limits]);
  useEffect(() => searching.leave, [searching]);
  return (
    <section class="both column" aria-label="Compared pictures">
      <header class="both-head row wrap">
        {isPair ? (
          <>
            <Moment side={now.a} />
            <Moment side={now.b} />
          </>
        ) : (
          <span class="muted">{now}</span>
        )}
        <button
          type="button"
          class="plain both-close"
          aria-label="Stop comparing"
          title="Stop comparing"
          onClick={() => {
            comparing.against.value = 'none';
          }}
        >
          ×
        </button>
      </header>
      {isPair && (
        <Both {...{ open, comparing, sides: now, searching }} shown={shown.value} isOld={shown.value?.key !== key} />
      )}
      {!isPair && other && <Failure side={{ replay: replayOf(other), name: 'The other trace' }} />}
    </section>
  );
}

/** Which picture a side is. */
function Moment({ side }: { side: Side }) {
  return (
    <span class="both-moment">
      {markOf(side)} <CallLink open={side.open} call={side.call} />
    </span>
  );
}

function markOf({ name }: Side): ComponentChildren {
  return name === 'A' || name === 'B' ? <SideMark side={name === 'A' ? 'a' : 'b'} /> : name;
}

interface BothProps {
  readonly open: OpenTrace;
  readonly comparing: Comparing;
  readonly sides: Sides;
  readonly searching: Searching;
  readonly shown: Shown | null;
  /** Other pictures are being made than are shown. */
  readonly isOld: boolean;
}

function Both({ open, comparing, sides: wanted, searching, shown, isOld }: BothProps) {
  const isLarge = useSignal(false);
  const { how } = wanted;
  const { a, b } = shown?.sides ?? wanted;
  const [first, second] = shown?.pictures ?? [null, null];
  const label = `after call ${formatCount(a.call)} and call ${formatCount(b.call)}`;
  const old = isOld ? label : undefined;
  const marks = [markOf(a), markOf(b)] as const;
  const names = [a.name, b.name] as const;
  const options: readonly (readonly [Mode, ComponentChildren])[] = [
    ['a', marks[0]],
    ['b', marks[1]],
    ['difference', 'Difference'],
    ['slider', 'Slider'],
    ['blink', 'Blink'],
  ];
  const choice = (
    <div class="picture-views">
      <Segments
        label="Compared pictures"
        options={options}
        value={comparing.mode.value}
        choose={(mode) => {
          comparing.mode.value = mode;
        }}
      />
    </div>
  );
  return (
    <>
      {how !== '' && <p class="muted small">{how}</p>}
      <Failure side={wanted.a} />
      {wanted.b.replay !== wanted.a.replay && <Failure side={wanted.b} />}
      {choice}
      {first && second && (
        <Viewer
          a={first}
          b={second}
          marks={marks}
          names={names}
          look={comparing}
          old={old}
          tools={
            <button
              type="button"
              onClick={() => {
                isLarge.value = true;
              }}
            >
              Enlarge
            </button>
          }
        />
      )}
      {shown && !isOld && (!first || !second) && (
        <p class="muted">No visible framebuffer{first || second ? ` on side ${first ? b.name : a.name}` : ''}.</p>
      )}
      <Missing replay={a.replay} call={a.call} name={a.name} />
      <Missing replay={b.replay} call={b.call} name={b.name} />
      <Progress sides={wanted} />
      <First open={open} comparing={comparing} sides={wanted} searching={searching} />
      {isLarge.value && first && second && (
        <Dialog class="both-large" title="both-title" close={() => (isLarge.value = false)}>
          <header class="both-head row wrap">
            <h2 id="both-title">A{label.slice(1)}</h2>
            {choice}
            <button type="button" class="both-close" onClick={() => (isLarge.value = false)}>
              Close
            </button>
          </header>
          <Viewer a={first} b={second} marks={marks} names={names} look={comparing} old={old} isLarge />
        </Dialog>
      )}
    </>
  );
}

/** Why a side has no pictures. */
function Failure({ side }: { side: Pick<Side, 'replay' | 'name'> }) {
  const failure = side.replay.failure.value;
  if (!failure) return null;
  return (
    <p class="remark" role="alert">
      {side.name}: {failure.sentence}{' '}
      <button type="button" onClick={() => side.replay.again(failure.limit)}>
        {failure.limit === 'gpu' ? 'Replay anyway' : 'Try again'}
      </button>
    </p>
  );
}

/** How far the replays are. */
function Progress({ sides: { a, b } }: { sides: Sides }) {
  const [, progress] = [a, b].map((side) => [side, side.replay.progress.value] as const).find(([, it]) => it) ?? [];
  return (
    <div class="picture-progress row small" role="status">
      {progress && (
        <>
          <progress max={1} value={progress.share} aria-label="Replay" />
          <span class="muted">
            {progress.what === 'looking' ? 'Scanning all calls' : 'Replaying'}… {Math.floor(100 * progress.share)} %
          </span>
        </>
      )}
    </div>
  );
}

interface FirstProps extends Omit<BothProps, 'shown' | 'isOld'> {}

/** The search for the first draw whose picture differs, and what it has found. */
function First({ open, comparing, sides, searching }: FirstProps) {
  const state = searching.state.value;
  const { a, b } = sides;
  const across = (call: number) => {
    const [pair, side] = [open.pair.peek(), sideOf(a.open)];
    return pair && side && a.open !== b.open ? framePairsOf(pair).callAcross(call, side) : undefined;
  };
  const show = ([first, second]: readonly [number, number]) => {
    const pair = open.pair.peek();
    if (pair && a.open !== b.open) alignmentOf(pair).align({ a: BigInt(first), b: BigInt(second) });
    if (comparing.against.peek() === 'remembered') comparing.remembered.value = { open: a.open, call: first };
    return Promise.all([a.open === b.open ? null : selectCall(first, a.open), selectCall(second, b.open)]);
  };
  return (
    <div class="both-first row wrap" role="status">
      {state.at === 'looking' ? (
        <>
          <progress max={state.of} value={state.step} aria-label="Search for the first draw" />
          <span class="muted">
            Step {formatCount(state.step + 1)} of about {formatCount(state.of)}
          </span>
          <button type="button" onClick={searching.cancel}>
            Cancel
          </button>
        </>
      ) : (
        <button
          type="button"
          title="Searches the frame by bisection"
          onClick={() => void searching.start(sides, show, across)}
        >
          First draw that differs
        </button>
      )}
      {state.at === 'done' && <span>{state.sentence}</span>}
    </div>
  );
}
