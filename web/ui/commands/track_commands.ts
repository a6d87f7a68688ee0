import { shortened } from '../../base/format.ts';
import type { Track, ValueLook, ValueType } from '../../base/protocol.ts';
import { isOn, type LaidTrack } from '../../model/layout.ts';
import type { CommandContext, TraceActions } from './context.ts';

/** What can be done with the current track, and with all of them. */
export const TRACK_COMMANDS = [
  onTracks('next-track', 'Go to the next track', ['j'], (trace) => trace.stepTrack(1)),
  onTracks('previous-track', 'Go to the previous track', ['k'], (trace) => trace.stepTrack(-1)),
  onTracks('filter-tracks', 'Filter tracks', [], (trace) => trace.filterTracks()),
  onTrack(
    'pin-track',
    'Pin the track to the top',
    ({ track }, { arrangement }) => arrangement.togglePinned(track.id),
    (laid, { arrangement }) => !arrangement.pinned.peek().includes(laid.track.id),
  ),
  onTrack(
    'unpin-track',
    'Unpin the track',
    ({ track }, { arrangement }) => arrangement.togglePinned(track.id),
    (laid, { arrangement }) => arrangement.pinned.peek().includes(laid.track.id),
  ),
  onTrack('hide-track', 'Hide the track', ({ track }, { arrangement }) => arrangement.hide(track.id)),
  onTrack('show-only-track', 'Hide all other tracks', ({ track }, { arrangement }) => arrangement.showOnly(track.id)),
  onTracks('show-all-tracks', 'Show hidden tracks', [], ({ arrangement }) => arrangement.showAll(), {
    isEnabled: ({ arrangement }) => (arrangement.visibility.peek()?.hidden ?? 0) > 0,
  }),
  onTrack(
    'fold-track',
    'Fold the track',
    ({ track }, { arrangement }) => arrangement.toggleFolded(track.id),
    ({ foldable, folded }) => foldable && !folded,
  ),
  onTrack(
    'unfold-track',
    'Unfold the track',
    ({ track }, { arrangement }) => arrangement.toggleFolded(track.id),
    ({ foldable, folded }) => foldable && folded,
  ),
  onTracks('fold-all-tracks', 'Fold all tracks', [], ({ arrangement }) => arrangement.foldAll(true)),
  onTracks('unfold-all-tracks', 'Unfold all tracks', [], ({ arrangement }) => arrangement.foldAll(false), {
    isEnabled: ({ arrangement }) => {
      const { all, except } = arrangement.choices.peek().folded;
      return all || except.length > 0;
    },
  }),
  onTrack(
    'compact-track',
    'Make the track compact',
    ({ track }, { arrangement }) => arrangement.toggleCompact(track.id),
    (laid, trace) => laid.track.rows > 1 && !isCompact(laid, trace),
  ),
  onTrack(
    'full-track',
    'Show the track in full height',
    ({ track }, { arrangement }) => arrangement.toggleCompact(track.id),
    (laid, trace) => laid.track.rows > 1 && isCompact(laid, trace),
  ),
  onTracks('compact-all-tracks', 'Make all tracks compact', [], ({ arrangement }) => arrangement.setCompact(true), {
    isEnabled: ({ arrangement }) => {
      const { all, except } = arrangement.choices.peek().compact;
      return !all || except.length > 0;
    },
  }),
  onTracks(
    'full-all-tracks',
    'Show all tracks in full height',
    [],
    ({ arrangement }) => arrangement.setCompact(false),
    {
      isEnabled: ({ arrangement }) => {
        const { all, except } = arrangement.choices.peek().compact;
        return all || except.length > 0;
      },
    },
  ),
  onTrack(
    'move-track-up',
    'Move the track up',
    ({ track }, trace) => moved(track.id, -1, trace),
    ({ track }, { arrangement }) => arrangement.sibling(track.id, -1) !== undefined,
  ),
  onTrack(
    'move-track-down',
    'Move the track down',
    ({ track }, trace) => moved(track.id, 1, trace),
    ({ track }, { arrangement }) => arrangement.sibling(track.id, 1) !== undefined,
  ),
  onValues('values-decimal', 'Show values as decimal numbers', ({ look, values }) =>
    (look?.format ?? (values === 'address' ? 'hex' : 'decimal')) === 'decimal' || values === 'float'
      ? null
      : { format: values === 'address' ? 'decimal' : undefined },
  ),
  onValues('values-hex', 'Show values as hexadecimal numbers', ({ look, values }) =>
    (look?.format ?? (values === 'address' ? 'hex' : 'decimal')) === 'hex' || values === 'float'
      ? null
      : { format: values === 'address' ? undefined : 'hex' },
  ),
  onValues('values-characters', 'Show values as characters', ({ look, values }) =>
    look?.format === 'characters' || values === 'float' || values === 'address' ? null : { format: 'characters' },
  ),
  onType('values-unsigned', 'Show values as unsigned numbers', 'unsigned'),
  onType('values-signed', 'Show values as signed numbers', 'signed'),
  onType('values-float', 'Show values as floating-point numbers', 'float'),
  onValues('values-dots', 'Draw values as dots', ({ look }) => (look?.dots ? null : { dots: true })),
  onValues('values-steps', 'Draw values as steps', ({ look }) => (look?.dots ? { dots: undefined } : null)),
  onValues('values-log', 'Use a logarithmic scale', ({ look }) => (look?.log ? null : { log: true })),
  onValues('values-linear', 'Use a linear scale', ({ look }) => (look?.log ? { log: undefined } : null)),
  onValues('values-tall', 'Make the graph higher', ({ look }) => (look?.tall ? null : { tall: true })),
  onValues('values-low', 'Make the graph lower', ({ look }) => (look?.tall ? { tall: undefined } : null)),
  onTrack('copy-track-name', 'Copy the name of the track', ({ track }, _, { page }) => page.copy(track.name)),
] as const;

function isCompact({ track }: LaidTrack, { arrangement }: TraceActions): boolean {
  return isOn(arrangement.compact.peek(), track.id);
}

function moved(id: number, by: 1 | -1, { arrangement, goToTrack }: TraceActions): void {
  arrangement.move(id, by);
  // The track stays in sight.
  goToTrack(id);
}

/** A command on the current track. */
function onTrack<const Id extends string>(
  id: Id,
  title: string,
  run: (laid: LaidTrack, trace: TraceActions, context: CommandContext) => void,
  isEnabled: (laid: LaidTrack, trace: TraceActions) => boolean = () => true,
) {
  return {
    id,
    title,
    keys: [],
    enabled: ({ trace }: CommandContext) => {
      const laid = trace?.currentTrack();
      return trace !== null && laid != null && isEnabled(laid, trace);
    },
    about: ({ trace }: CommandContext) => shortened(trace?.currentTrack()?.track.name ?? ''),
    run: (context: CommandContext) => {
      const laid = context.trace?.currentTrack();
      if (context.trace && laid) run(laid, context.trace, context);
    },
  };
}

/** A command that changes how the current track shows its values. `change` returns what is to change; null if it is so already. */
function onValues<const Id extends string>(
  id: Id,
  title: string,
  change: (track: Track) => { readonly [K in keyof ValueLook]: ValueLook[K] | undefined } | null,
) {
  return onTrack(
    id,
    title,
    ({ track }, { arrangement }) => {
      const next = { ...arrangement.lookOf(track.id), ...change(track) };
      const kept = Object.entries(next).filter(([, value]) => value !== undefined);
      arrangement.setLook(track.id, Object.fromEntries(kept));
    },
    ({ track }) => track.kind === 'counter' && change(track) !== null,
  );
}

/** A command that reads the bytes of the values of the current track as numbers of a type. */
function onType<const Id extends string>(id: Id, title: string, type: ValueType) {
  // A float has four bytes at least.
  return onValues(id, title, ({ values, width = 0 }) =>
    width === 0 || values === type || (type === 'float' && width < 4) ? null : { type },
  );
}

/** A command on no track in particular. */
function onTracks<const Id extends string, const Keys extends readonly string[]>(
  id: Id,
  title: string,
  keys: Keys,
  run: (trace: TraceActions) => void,
  { isEnabled = () => true }: { readonly isEnabled?: (trace: TraceActions) => boolean } = {},
) {
  return {
    id,
    title,
    keys,
    enabled: ({ trace }: CommandContext) => trace !== null && isEnabled(trace),
    run: ({ trace }: CommandContext) => {
      if (trace) run(trace);
    },
  };
}
