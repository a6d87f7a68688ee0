import { shortened } from '../../base/format.ts';
import type { Track, ValueLook, ValueType } from '../../base/protocol.ts';
import { onTrace } from '../../page/commands.ts';
import { copyText } from '../../page/copy.ts';
import type { Command, CommandContext, Surface } from '../../page/page.ts';
import type { Arrangement } from '../../timeline/arrangement.ts';
import { trackFilterId } from '../../timeline/canvas/fields.ts';
import { isOn, type LaidTrack } from '../../timeline/layout.ts';

const SHOWING = 'show track';
const FOLDING = 'fold track';
const MOVING = 'move track';
const ALL = 'all tracks';

/** What can be done with the current track, and with all of them, by menus and words. */
export const TRACK_COMMANDS: readonly Command[] = [
  onTrack('pin-track', 'Pin the track to the top', SHOWING, togglePinned, (laid, at) => !isPinned(laid, at)),
  onTrack('unpin-track', 'Unpin the track', SHOWING, togglePinned, isPinned),
  onTrack('hide-track', 'Hide the track', SHOWING, ({ track }, arrangement) => arrangement.hide(track.id)),
  onTrack('show-only-track', 'Hide all other tracks', SHOWING, ({ track }, arrangement) =>
    arrangement.showOnly(track.id),
  ),
  onTracks(
    'show-all-tracks',
    'Show hidden tracks',
    SHOWING,
    (arrangement) => arrangement.showAll(),
    (arrangement) => (arrangement.visibility.peek()?.hidden ?? 0) > 0,
  ),
  onTrack('fold-track', 'Fold the track', FOLDING, toggleFolded, ({ foldable, folded }) => foldable && !folded),
  onTrack('unfold-track', 'Unfold the track', FOLDING, toggleFolded, ({ foldable, folded }) => foldable && folded),
  onTrack('open-track', 'Show all rows of the track', FOLDING, toggleOpened, ({ deeper }) => deeper > 0),
  onTrack('close-track', 'Show fewer rows of the track', FOLDING, toggleOpened, ({ isOpened }) => isOpened),
  onTrack(
    'compact-track',
    'Make the track compact',
    FOLDING,
    toggleCompact,
    (laid, at) => laid.track.rows > 1 && !isCompact(laid, at),
  ),
  onTrack(
    'full-track',
    'Show the track in full height',
    FOLDING,
    toggleCompact,
    (laid, at) => laid.track.rows > 1 && isCompact(laid, at),
  ),
  onTracks('fold-all-tracks', 'Fold all tracks', ALL, (arrangement) => arrangement.foldAll(true)),
  onTracks(
    'unfold-all-tracks',
    'Unfold all tracks',
    ALL,
    (arrangement) => arrangement.foldAll(false),
    (arrangement) => {
      const { all, except } = arrangement.choices.peek().folded;
      return all || except.length > 0;
    },
  ),
  onTracks(
    'compact-all-tracks',
    'Make all tracks compact',
    ALL,
    (arrangement) => arrangement.setCompact(true),
    (arrangement) => {
      const { all, except } = arrangement.choices.peek().compact;
      return !all || except.length > 0;
    },
  ),
  onTracks(
    'full-all-tracks',
    'Show all tracks in full height',
    ALL,
    (arrangement) => arrangement.setCompact(false),
    (arrangement) => {
      const { all, except } = arrangement.choices.peek().compact;
      return all || except.length > 0;
    },
  ),
  onTrace('filter-tracks', 'Filter tracks', [], filterTracks, { part: ALL }),
  moves('move-track-up', 'Move the track up', -1),
  moves('move-track-down', 'Move the track down', 1),
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
  onType('values-unsigned', 'Show values as unsigned numbers', 'unsigned'),
  onType('values-signed', 'Show values as signed numbers', 'signed'),
  onType('values-float', 'Show values as floating-point numbers', 'float'),
  onValues('values-characters', 'Show values as characters', ({ look, values }) =>
    look?.format === 'characters' || values === 'float' || values === 'address' ? null : { format: 'characters' },
  ),
  onValues('values-dots', 'Draw values as dots', ({ look }) => (look?.dots ? null : { dots: true })),
  onValues('values-steps', 'Draw values as steps', ({ look }) => (look?.dots ? { dots: undefined } : null)),
  onValues('values-log', 'Use a logarithmic scale', ({ look }) => (look?.log ? null : { log: true })),
  onValues('values-linear', 'Use a linear scale', ({ look }) => (look?.log ? { log: undefined } : null)),
  onValues('values-tall', 'Make the graph higher', ({ look }) => (look?.tall ? null : { tall: true })),
  onValues('values-low', 'Make the graph lower', ({ look }) => (look?.tall ? { tall: undefined } : null)),
  onTrack('copy-track-name', 'Copy the name of the track', 'copy track', ({ track }, _, { page }) =>
    copyText(page, track.name),
  ),
];

function isPinned({ track }: LaidTrack, { pinned }: Arrangement): boolean {
  return pinned.peek().includes(track.id);
}

function isCompact({ track }: LaidTrack, { compact }: Arrangement): boolean {
  return isOn(compact.peek(), track.id);
}

function togglePinned({ track }: LaidTrack, arrangement: Arrangement): void {
  arrangement.togglePinned(track.id);
}

function toggleFolded({ track }: LaidTrack, arrangement: Arrangement): void {
  arrangement.toggleFolded(track.id);
}

function toggleOpened({ track }: LaidTrack, arrangement: Arrangement): void {
  arrangement.toggleOpened(track.id);
}

function toggleCompact({ track }: LaidTrack, arrangement: Arrangement): void {
  arrangement.toggleCompact(track.id);
}

/** Opens the field that filters tracks, and moves the focus to it. */
function filterTracks({ filtering, open }: Surface): void {
  filtering.value = true;
  requestAnimationFrame(() => document.getElementById(trackFilterId(open))?.focus());
}

/** A command on the current track. */
function onTrack(
  id: string,
  title: string,
  part: string,
  run: (laid: LaidTrack, arrangement: Arrangement, context: CommandContext) => void,
  isEnabled: (laid: LaidTrack, arrangement: Arrangement) => boolean = () => true,
): Command {
  return {
    id,
    title,
    part,
    keys: [],
    enabled: ({ surface }) => {
      const laid = surface?.currentTrack();
      return surface !== null && laid != null && isEnabled(laid, surface.open.timeline.arrangement);
    },
    about: ({ surface }) => shortened(surface?.currentTrack()?.track.name ?? ''),
    run: (context) => {
      const laid = context.surface?.currentTrack();
      if (context.surface && laid) run(laid, context.surface.open.timeline.arrangement, context);
    },
  };
}

/** A command that moves the current track by one place among its siblings. */
function moves(id: string, title: string, by: 1 | -1): Command {
  return onTrack(
    id,
    title,
    MOVING,
    ({ track }, arrangement, { surface }) => {
      arrangement.move(track.id, by);
      // The track stays in sight.
      surface?.goToTrack(track.id);
    },
    ({ track }, arrangement) => arrangement.sibling(track.id, by) !== undefined,
  );
}

/** A command that changes how the current track shows its values. `change` returns what is to change; null if it is so already. */
function onValues(
  id: string,
  title: string,
  change: (track: Track) => { readonly [K in keyof ValueLook]: ValueLook[K] | undefined } | null,
): Command {
  return onTrack(
    id,
    title,
    'values',
    ({ track }, arrangement) => {
      const next = { ...arrangement.lookOf(track.id), ...change(track) };
      const kept = Object.entries(next).filter(([, value]) => value !== undefined);
      arrangement.setLook(track.id, Object.fromEntries(kept));
    },
    ({ track }) => track.kind === 'counter' && change(track) !== null,
  );
}

/** A command that reads the bytes of the values of the current track as numbers of a type. */
function onType(id: string, title: string, type: ValueType): Command {
  // A float has four bytes at least.
  return onValues(id, title, ({ values, width = 0 }) =>
    width === 0 || values === type || (type === 'float' && width < 4) ? null : { type },
  );
}

/** A command on no track in particular. */
function onTracks(
  id: string,
  title: string,
  part: string,
  run: (arrangement: Arrangement) => void,
  isEnabled: (arrangement: Arrangement) => boolean = () => true,
): Command {
  return onTrace(id, title, [], ({ open }) => run(open.timeline.arrangement), {
    part,
    needs: ({ open }) => isEnabled(open.timeline.arrangement),
  });
}
