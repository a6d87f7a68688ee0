import { useSignal } from '@preact/signals';
import { type ComponentChild, createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { formatCount, shortened } from '../../base/format.ts';
import { hexText } from '../../base/hex.ts';
import type { Details, Value } from '../../base/protocol.ts';
import type { FieldLink, FieldLinks, Page } from '../../page/page.ts';
import { PlaceLink } from '../../page/place_link.tsx';
import { showPlace } from '../../page/places.ts';
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
  /** What features know of where fields lead. */
  readonly links: readonly LinkOf[];
} | null>(null);
type LinkOf = Awaited<ReturnType<FieldLinks['load']>>;

/** Loads what features know of where fields of a trace lead. Renders again when that is there. */
export function useFieldLinks(open: OpenTrace, { features }: Page): readonly LinkOf[] {
  const links = useSignal<readonly LinkOf[]>([]);
  useEffect(() => {
    let isOver = false;
    for (const { fieldLinks } of features) {
      if (!fieldLinks?.offered(open)) continue;
      // Without them, fields lead nowhere.
      fieldLinks.load().then(
        (link) => {
          if (!isOver) links.value = [...links.peek(), link];
        },
        () => undefined,
      );
    }
    return () => {
      isOver = true;
    };
  }, [open, features]);
  return links.value;
}
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

interface LinkFieldProps {
  readonly path: readonly string[];
  readonly value: Value;
  /** Whether it is the label of the field, or its value. */
  readonly by: FieldLink['by'];
  /** What it looks like if it leads nowhere. */
  readonly children: ComponentChild;
}

/** The label or the value of a field, as a link if it names something that is shown elsewhere. */
export function LinkField({ path, value, by, children }: LinkFieldProps) {
  const keeper = useContext(Keeper);
  if (!keeper) return <>{children}</>;
  const { open, page, details, links } = keeper;
  const [name = ''] = path;
  const text = by === 'label' ? path.at(-1)! : linkText(value);
  if (text === '') return <>{children}</>;
  for (const link of links) {
    const to = link({ open, details, path, value: onlyOf(value) });
    if (to?.by !== by) continue;
    return (
      <PlaceLink open={open} page={page} place={to.place} title={to.title} class="field-link">
        {text}
      </PlaceLink>
    );
  }
  const { item } = details;
  if (by !== 'value' || path.length !== 1 || name !== CALLER || item?.kind !== 'slice') return <>{children}</>;
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

/** A list of one value is shown as the value. */
function onlyOf(value: Value): Value {
  return value.t === 'list' && value.v.length === 1 ? value.v[0]! : value;
}

/** The text of a value that may be a link: a name or a number. */
function linkText(of: Value): string {
  const value = onlyOf(of);
  if (value.t === 'text') return value.v;
  return value.t !== 'int' ? '' : value.hex ? hexText(value.v) : formatCount(value.v);
}

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
      onClick={() => showPlace({ to: 'operand', ...operand, shows: 'origin' }, keeper.open, keeper.page)}
    >
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        <path d="M11 10V6a3 3 0 0 0-3-3H2M5 0L2 3l3 3" />
      </svg>
    </button>
  );
}

/** Keeps a number or a text over all records, or the executions of a listed instruction, as a track. Nothing for other values. */
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
