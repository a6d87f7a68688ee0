import type { ResourceColumns } from '../../base/survey_protocol.ts';
import type { Finding, FindingKind } from '../../trace/findings.ts';
import { titleOf } from '../../trace/resource_titles.ts';
import type { Survey } from '../../trace/survey.ts';

/** A resource or a finding that only one trace has, or that differs. */
export interface Thing {
  readonly of: 'resource' | 'finding';
  readonly title: string;
  readonly verdict: 'new' | 'gone' | 'changed';
  /** What it is in A and in B; null where a trace lacks it. */
  readonly a: ThingOf | null;
  readonly b: ThingOf | null;
}

/** What is said of it in one trace. */
export interface ThingOf {
  readonly says: string;
  /** The call that created it, or where it is found first; null if that is not known. */
  readonly call: number | null;
}

/** Says what a resource holds. Names of OpenGL are given as they come, so that they are not a part of it. */
function contentsOf(
  { facts, size, levels, uploads }: ResourceColumns,
  at: number,
  bytes: (size: number) => string,
): string {
  const [held, times] = [size[at]!, uploads[at]!];
  return [
    facts[at]!,
    levels[at]! > 1 ? `${levels[at]} levels` : '',
    held > 0 ? bytes(held) : '',
    times > 0 ? `${times} ${times === 1 ? 'upload' : 'uploads'}` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** What a resource holds, as far as that was read. */
export interface Held {
  /** Says what it is, so that equal bytes have equal ones; '' if it is not known. */
  readonly key: string;
  /** The last call that has uploaded something; null without one. */
  readonly call: number | null;
}

/** Resources of a trace whose contents are read, and uploads of each. */
const MOST_READ = 400;
const MOST_UPLOADS = 16;

/** Reads what resources hold: texts of shaders, and bytes that were uploaded. */
export async function heldBy(
  { count, kind, uploads }: Pick<ResourceColumns, 'count' | 'kind' | 'uploads'>,
  ask: Pick<Survey['ask'], 'events' | 'blob' | 'sources'>,
): Promise<readonly Held[]> {
  const all: Held[] = Array.from({ length: count }, () => ({ key: '', call: null }));
  const wanted = [...all.keys()].filter((at) => uploads[at]! > 0).slice(0, MOST_READ);
  for (const at of wanted) {
    const events = await ask.events(at);
    const calls = [...(events?.calls ?? [])].filter((_, i) => events?.what[i] === 'uploaded');
    const last = calls.at(-1);
    if (last === undefined || calls.length > MOST_UPLOADS) continue;
    if (kind[at] === 'shader') {
      const source = (await ask.sources(at, last))?.at(-1);
      all[at] = { key: source?.[1] ?? '', call: last };
      continue;
    }
    const parts: string[] = [];
    for (const call of calls) parts.push(hashOf((await ask.blob(call)) ?? new Uint8Array()));
    all[at] = { key: parts.join(), call: last };
  }
  return all;
}

/** A hash of bytes, of 53 bits, with their number. */
function hashOf(bytes: Uint8Array): string {
  let [high, low] = [0xdead_beef, 0x41c6_ce57];
  for (const byte of bytes) {
    high = Math.imul(high ^ byte, 2_654_435_761);
    low = Math.imul(low ^ byte, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  return `${bytes.length}:${4_294_967_296 * (0x1f_ffff & high) + (low >>> 0)}`;
}

/** The resources of a trace with what they hold. */
export interface Resources {
  readonly columns: ResourceColumns;
  readonly held: readonly Held[];
}

/**
 * Resources that only one trace has, and those that hold something else. They belong together, in the order of their creation: by kind, label
 * and all that they hold; of those that are left by kind and label; then by kind and what is said of them; and then by kind and name. `bytes` says an
 * amount of bytes.
 */
export function resourcesApart(a: Resources, b: Resources, bytes: (size: number) => string): readonly Thing[] {
  const all = ({ columns }: Resources) => new Set(Array.from({ length: columns.count }, (_, at) => at));
  const left = [all(a), all(b)] as const;
  const pairs: (readonly [number, number])[] = [];
  const pairBy = (keyOf: (of: Resources, at: number) => readonly unknown[] | null) => {
    const waiting = new Map<string, number[]>();
    for (const at of left[1]) {
      const key = keyOf(b, at)?.join('\n');
      if (key === undefined) continue;
      const same = waiting.get(key);
      if (same) same.push(at);
      else waiting.set(key, [at]);
    }
    for (const same of waiting.values()) same.reverse();
    for (const at of left[0]) {
      const key = keyOf(a, at)?.join('\n');
      const other = key === undefined ? undefined : waiting.get(key)?.pop();
      if (other === undefined) continue;
      left[0].delete(at);
      left[1].delete(other);
      pairs.push([at, other]);
    }
  };
  const said = (of: ResourceColumns, at: number) => contentsOf(of, at, bytes);
  /** The same with what names other resources as it comes. */
  const generic = (of: ResourceColumns, at: number) =>
    said(of, at).replace(/(?<=shader |texture |renderbuffer )\d+/g, '#');
  pairBy(({ columns, held }, at) => [columns.kind[at], columns.label[at], generic(columns, at), held[at]?.key]);
  const same = pairs.length;
  pairBy(({ columns: { kind, label } }, at) => (label[at] === '' ? null : [kind[at], label[at]]));
  pairBy(({ columns }, at) => [columns.kind[at], columns.label[at], generic(columns, at)]);
  // Addresses of interfaces are others in each run.
  pairBy(({ columns: { kind, name } }, at) => (kind[at] === 'interface' ? null : [kind[at], name[at]]));
  const thing = ({ columns }: Resources, at: number): ThingOf => ({
    says: said(columns, at),
    call: columns.created[at]!,
  });
  const changed = pairs.slice(same).map(([one, other]): Thing => {
    const [ofA, ofB] = [thing(a, one), thing(b, other)];
    const title = titleOf(b.columns, other);
    if (ofA.says !== ofB.says) return { of: 'resource', title, verdict: 'changed', a: ofA, b: ofB };
    // Where it is the bytes that differ, their uploads say how.
    const upload = (of: ThingOf, held: Held | undefined): ThingOf => ({ ...of, call: held?.call ?? of.call });
    const inB = { ...upload(ofB, b.held[other]), says: `${ofB.says}, other contents` };
    return { of: 'resource', title, verdict: 'changed', a: upload(ofA, a.held[one]), b: inB };
  });
  const only = (of: Resources, at: number) => ({ of: 'resource' as const, title: titleOf(of.columns, at) });
  return [
    ...changed,
    ...[...left[1]].map((at): Thing => ({ ...only(b, at), verdict: 'new', a: null, b: thing(b, at) })),
    ...[...left[0]].map((at): Thing => ({ ...only(a, at), verdict: 'gone', a: thing(a, at), b: null })),
  ];
}

/** Findings that only one trace has, and those that there are more or fewer of. `times` says how often one is there. */
export function findingsApart(
  a: readonly Finding[],
  b: readonly Finding[],
  kinds: readonly FindingKind[],
  times: (count: number) => string,
): readonly Thing[] {
  // Numbers of objects are others where something was created before.
  const keyOf = ({ kind, sentence }: Finding) => `${kind}\n${sentence.replace(/\d+/g, '#')}`;
  const found = new Map<string, [Finding[], Finding[]]>();
  for (const [side, all] of [a, b].entries()) {
    for (const finding of all) {
      const key = keyOf(finding);
      const both = found.get(key) ?? [[], []];
      both[side as 0 | 1].push(finding);
      found.set(key, both);
    }
  }
  const titleOfKind = (id: string) => kinds.find((kind) => kind.id === id)?.title ?? id;
  return [...found.values()].flatMap((both): Thing[] => {
    const [one, other] = both.map((of): ThingOf | null => {
      const count = of.reduce((sum, finding) => sum + finding.count, 0);
      return of.length === 0 ? null : { says: times(count), call: of[0]!.positions[0] ?? null };
    });
    if (one && other && one.says === other.says) return [];
    const { kind, sentence } = (both[1][0] ?? both[0][0])!;
    const verdict = !one ? 'new' : !other ? 'gone' : 'changed';
    return [{ of: 'finding', title: `${titleOfKind(kind)}: ${sentence}`, verdict, a: one ?? null, b: other ?? null }];
  });
}
