import { useRef } from 'preact/hooks';
import { formatCounted, shortened } from '../../base/format.ts';
import { type MenuItem, useMenu } from '../../parts/menu/request.ts';
import { anchorOf } from '../../parts/popover.tsx';
import { SideMark } from '../../parts/side_mark.tsx';
import type { Pair } from '../../timeline/open_trace.ts';
import type { Compared } from './comparison.ts';
import type { Run, Runs } from './runs.ts';

const SIDES = ['a', 'b'] as const;
/** Characters of a file's name. */
const LONGEST = 40;

/** The button that adds a run to a side. */
export function AddRun({ runs }: { readonly runs: Runs }) {
  const show = useMenu();
  const input = useRef<HTMLInputElement>(null);
  const side = useRef<'a' | 'b'>('a');
  const items = SIDES.map(
    (of): MenuItem => ({
      id: `run-${of}`,
      title: `Add runs of ${of.toUpperCase()}…`,
      run: () => {
        side.current = of;
        input.current?.click();
      },
    }),
  );
  return (
    <>
      <button
        type="button"
        class="plain link"
        aria-haspopup="menu"
        title="Add recordings of the same program to a side: verdicts get surer"
        onClick={({ currentTarget, detail }) => {
          const at = anchorOf(currentTarget, 2);
          show({ label: 'Add a run', items, at, byKey: detail === 0, button: currentTarget });
        }}
      >
        Add a run…
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Runs"
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])].map((file) => ({ file, name: file.name }));
          // The same file can be chosen again.
          currentTarget.value = '';
          runs[side.current].add(files);
        }}
      />
    </>
  );
}

interface ListProps {
  readonly runs: Runs;
  readonly pair: Pair;
  readonly compared: Compared | null;
  /** Whether runs count whatever range or thread is chosen. */
  readonly isWhole?: boolean;
}

/** The runs of both sides by the names of their files, if a side has several. */
export function RunList({ runs, pair, compared, isWhole = false }: ListProps) {
  const some = SIDES.filter((side) => runs[side].all.value.length > 0);
  if (some.length === 0) return null;
  const isPart =
    !isWhole &&
    SIDES.some((side) => {
      const { range, whose } = pair[side].statistics;
      return range.value !== null || whose.value !== 'all';
    });
  const rows = compared?.rows;
  // Those that cannot be read are not counted.
  const counted = (side: 'a' | 'b') => runs[side].all.value.filter(({ failure }) => failure === '');
  const isShown = (side: 'a' | 'b', at: number) =>
    !isPart && counted(side).length > 0 && at === (side === 'a' ? rows?.shownA : rows?.shownB);
  return (
    <ul class="chips wrap rigid small" aria-label="Runs">
      {SIDES.flatMap((side) => [
        <li key={side} class="chip difference-run">
          <SideMark side={side} />
          <Name text={pair[side].trace.name} isShown={isShown(side, 0)} />
        </li>,
        ...runs[side].all.value.map((run) => (
          <RunChip
            key={`${side} ${run.file.name}`}
            run={run}
            side={side}
            isShown={isShown(side, counted(side).indexOf(run) + 1)}
            remove={() => runs[side].remove(run.file)}
          />
        )),
      ])}
      {isPart && (
        <li class="muted">{`Without ${formatCounted(
          SIDES.reduce((sum, side) => sum + counted(side).length, 0),
          'further run',
        )}: these count while no range and no thread is chosen.`}</li>
      )}
    </ul>
  );
}

interface ChipProps {
  readonly run: Run;
  readonly side: 'a' | 'b';
  readonly isShown: boolean;
  readonly remove: () => void;
}

function RunChip({ run: { file, profile, values, failure }, side, isShown, remove }: ChipProps) {
  return (
    <li class="chip difference-run" title={failure || undefined}>
      <SideMark side={side} />
      <Name text={file.name} isShown={isShown} />
      {failure !== '' && <span class="wrong">{failure}</span>}
      {failure === '' && !profile && !values && <span class="muted">reading…</span>}
      <button type="button" class="plain" aria-label={`Remove ${file.name}`} title="Remove this run" onClick={remove}>
        ×
      </button>
    </li>
  );
}

function Name({ text, isShown }: { readonly text: string; readonly isShown: boolean }) {
  const name = shortened(text, LONGEST);
  return isShown ? <b title="The median run of its side: the figures are its own">{name}</b> : <span>{name}</span>;
}
