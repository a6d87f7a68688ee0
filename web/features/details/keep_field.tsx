import { type ComponentChild, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { shortened } from '../../base/format.ts';
import type { Details, Value } from '../../base/protocol.ts';
import type { Page } from '../../page/page.ts';
import { PlaceLink } from '../../page/place_link.tsx';
import { canShow } from '../../page/places.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { KeepButton } from '../../timeline/widgets/keep.tsx';
import { addressKey, CPUS, fieldKey } from '../../trace/derived.ts';
import { termOfField, termOfLabel } from '../../trace/find_terms.ts';
import { executedAddress, keptField, listedAddress, operandOf } from '../../trace/kept_fields.ts';
import { CPU } from '../../trace/lanes.ts';
import { pointedOf, sameItem } from '../../trace/pointed.ts';

/** What the fields on the screen belong to; null where they cannot be kept. */
export const Keeper = createContext<{
  readonly open: OpenTrace;
  readonly details: Details;
  readonly page: Page;
} | null>(null);
/** The labels that lead to the fields. */
export const Path = createContext<readonly string[]>([]);

/** Finds all records with this value in this field. Nothing for values that cannot be looked for. */
export function FindField({ path, value }: { path: readonly string[]; value: Value }) {
  const keeper = useContext(Keeper);
  if (!keeper) return null;
  const { open, details } = keeper;
  const columns = open.trace.info.value?.columns ?? [];
  const term =
    termOfField(path, value, details.name >= 0 ? details.title : '') ??
    (path.length === 1 ? termOfLabel(path[0]!, value, columns) : null);
  if (term === null) return null;
  return (
    <button
      type="button"
      class="plain keep-field find-value"
      aria-label={`Find all with this value: ${shortened(term)}`}
      title={`Find ${shortened(term)}`}
      onClick={() => open.find.ask(term)}
    >
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        <path d="M8 8l3 3M9 5a4 4 0 1 1-8 0a4 4 0 1 1 8 0" />
      </svg>
    </button>
  );
}

/** The value of a field that names something else, as a link to that; other values are `children`. */
export function LinkField({
  path,
  text,
  children,
}: {
  path: readonly string[];
  text: string;
  children: ComponentChild;
}) {
  const keeper = useContext(Keeper);
  const [name] = path;
  if (!keeper || path.length !== 1) return <>{children}</>;
  const { open, page, details } = keeper;
  const { item } = details;
  if (name === 'Frame' && open.trace.info.value?.offers.includes('graphics') && canShow('frame', page)) {
    return (
      <PlaceLink
        open={open}
        page={page}
        place={{ to: 'frame', call: Number(details.start) }}
        title="Show it in Frames"
        class="field-link"
      >
        {text}
      </PlaceLink>
    );
  }
  if (name !== CALLER || item?.kind !== 'slice') return <>{children}</>;
  const go = async () => {
    const found = await open.trace.find({ to: 'caller', item });
    // A selection made in the meantime takes precedence.
    if (found && sameItem(open.selection.selected.peek()?.item ?? null, item)) open.selection.reveal(pointedOf(found));
  };
  return (
    <button type="button" class="plain link field-link" title="Select the caller" onClick={() => void go()}>
      {text}
    </button>
  );
}

/** The field with the name of a caller, from `crate/engine/src/details.rs`. */
const CALLER = 'Called by';

/** Shows where the value of an operand comes from, for traces that tell. Nothing for other values. */
export function FollowField({ path }: { path: readonly string[] }) {
  const keeper = useContext(Keeper);
  const operand = operandOf(path);
  if (!keeper || !operand || !keeper.open.trace.info.value?.offers.includes('state')) return null;
  const label = `Where ${operand.name} comes from`;
  return (
    <button
      type="button"
      class="plain keep-field follow-value"
      aria-label={label}
      title={label}
      onClick={() =>
        void import('./follow.ts').then((it) =>
          it.followOperand({ open: keeper.open, dock: keeper.page.dock }, operand.name, operand.written),
        )
      }
    >
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        <path d="M11 10V6a3 3 0 0 0-3-3H2M5 0L2 3l3 3" />
      </svg>
    </button>
  );
}

/** Keeps a number over all records, or the executions of a listed instruction, as a track. Nothing for other values. */
export function KeepField({ path, value }: { path: readonly string[]; value: Value }) {
  const keeper = useContext(Keeper);
  if (!keeper) return null;
  const { open, details } = keeper;
  const { derived } = open;
  const address = listedAddress(path);
  if (address !== null) {
    const label = `executions of ${path.at(-1)}`;
    return <KeepIcon open={open} label={label} of={addressKey(address)} keep={() => derived.keepAddress(address)} />;
  }
  const columns = open.trace.info.value?.columns ?? [];
  const cpu = columns.find(({ key }) => key === CPU);
  if (cpu && path.length === 1 && path[0] === cpu.label) {
    return <KeepIcon open={open} label="threads by CPU" many of={CPUS} keep={derived.keepCpus} />;
  }
  const field = keptField(path, value);
  if (!field) return null;
  const keep = () => derived.keepField(field, details.name);
  return <KeepIcon open={open} label={field.label} of={fieldKey(field, details.name)} keep={keep} />;
}

interface IconProps {
  readonly open: OpenTrace;
  readonly label: string;
  /** They are several tracks. */
  readonly many?: boolean;
  /** The key of the track. */
  readonly of: string;
  readonly keep: () => void;
}

function KeepIcon({ open: { trace, derived }, label, many = false, of, keep }: IconProps) {
  const tracks = many ? 'tracks' : 'track';
  const keeping = derived.keeping.value.get(of);
  const making = keeping?.at === 'making';
  return (
    <button
      type="button"
      class="plain keep-field"
      aria-label={making ? `Stop keeping ${label}` : `Keep ${label} as ${tracks}`}
      title={making ? 'Stop' : keeping ? `Kept as ${tracks}` : `Keep ${label} as ${tracks}`}
      disabled={trace.status.value.at === 'loading' || keeping?.at === 'kept'}
      onClick={making ? () => derived.stop(of) : keep}
    >
      <svg width="14" height="12" viewBox="0 0 14 12" aria-hidden="true">
        <path d="M1 10h3V4h4v4h5" />
      </svg>
    </button>
  );
}

/** Keeps the executions of the instruction in the details as a track. */
export function KeepAddress({ open, details }: { open: OpenTrace; details: Details }) {
  const address = executedAddress(details, open.selection.record.value);
  if (address === null || !open.trace.info.value?.offers.includes('disassembly')) return null;
  return (
    <KeepButton
      keeping={open.derived.keeping.value.get(addressKey(address))}
      reading={open.trace.status.value.at === 'loading'}
      title={`Show all executions of 0x${address.toString(16)} on one track`}
      onClick={() => open.derived.keepAddress(address)}
      stop={() => open.derived.stop(addressKey(address))}
    />
  );
}
