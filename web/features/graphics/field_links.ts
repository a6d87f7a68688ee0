import { type Signal, signal } from '@preact/signals';
import type { Details, Field, Value } from '../../base/protocol.ts';
import type { ResourceColumns, ResourceKind } from '../../base/survey_protocol.ts';
import type { FieldLink, NamedField, Places } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { perTrace } from '../../trace/per_trace.ts';
import { surveyOf } from '../../trace/surveys.ts';
import { resourceAt } from './resources/wanted.ts';

/** Labels of fields of a call, from `crate/formats/src/apitrace/details.rs`. */
const FRAME = 'Frame';
const ARGUMENTS = 'Arguments';
const RETURNED = 'Return value';

/** For each parameter of a function the kind of resources that it names; null while the worker is asked. */
type Kinds = Signal<readonly (ResourceKind | '')[] | null>;

const kindsIn = perTrace((_: OpenTrace) => new Map<string, Kinds>());

/** The kinds that the parameters of a function name. Asks for them once. */
function kindsOf(open: OpenTrace, name: string): Kinds {
  const all = kindsIn(open);
  let kinds = all.get(name);
  if (!kinds) {
    kinds = signal(null);
    all.set(name, kinds);
    const asked = kinds;
    void surveyOf(open)
      .ask.objects(name)
      .then((found) => {
        asked.value = found;
      });
  }
  return kinds;
}

/** Where a field of a call or a frame leads: to the frame, or to the resource that an argument names. Subscribes. */
export function graphicsLink({ open, details, path, value }: NamedField): FieldLink | null {
  if (path.length === 1 && path[0] === FRAME) {
    const place = { to: 'frame', call: Number(details.start) } as const;
    return { place, title: 'Show it in Frames', by: 'value' };
  }
  const resources = surveyOf(open).resources.value;
  if (!resources || value.t !== 'int' || value.v <= 0n || value.v > Number.MAX_SAFE_INTEGER) return null;
  const place = value.hex
    ? interfaceOf(resources, details, value)
    : resourceOf(resources, details, path, value, () => kindsOf(open, details.title).value);
  return place && { place: { to: 'resource', ...place }, title: 'Show it in Resources', by: 'value' };
}

/** The interface of Direct3D at an address, wherever a call has it. */
function interfaceOf(
  resources: ResourceColumns,
  { start }: Details,
  { v }: Value & { t: 'int' },
): Places['resource'] | null {
  return known(resources, { kind: 'interface', name: Number(v), call: Number(start) });
}

/** The resource of OpenGL that an argument or the result of a call names. */
export function resourceOf(
  resources: ResourceColumns,
  { fields, start }: Pick<Details, 'fields' | 'start'>,
  path: readonly string[],
  { v }: { readonly v: bigint },
  kinds: () => readonly (ResourceKind | '')[] | null,
): Places['resource'] | null {
  const [group, parameter] = path;
  const [call, name] = [Number(start), Number(v)];
  // What a call returns is an object if it is the one that the call has created.
  if (group === RETURNED && path.length === 1) {
    const at = resources.created.findIndex((created, i) => created === call && resources.name[i] === name);
    return at < 0 ? null : { kind: resources.kind[at]!, name, call };
  }
  if (group !== ARGUMENTS || parameter === undefined) return null;
  const number = argumentsOf(fields).findIndex((argument) => argument.name === parameter);
  const kind = kinds()?.[number] ?? '';
  return kind === '' ? null : known(resources, { kind, name, call });
}

/** A place, if the survey knows the resource. */
function known(resources: ResourceColumns, place: Places['resource']): Places['resource'] | null {
  return resourceAt(resources, place) < 0 ? null : place;
}

function argumentsOf(fields: readonly Field[]): readonly Field[] {
  const value = fields.find(({ name }) => name === ARGUMENTS)?.value;
  return value?.t === 'tree' ? value.v : [];
}
