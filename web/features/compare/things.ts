import type { HeldColumns, ResourceColumns } from '../../base/survey_protocol.ts';
import type { Finding, FindingKind } from '../../trace/findings.ts';
import type { ThingsOf } from './protocol.ts';

/** The resources of a trace with what they hold. */
export interface Resources {
  readonly columns: ResourceColumns;
  readonly held: HeldColumns;
}

/** What of a trace is compared. */
export function thingsOf(
  { columns, held }: Resources,
  findings: readonly Finding[],
  kinds: readonly FindingKind[],
): ThingsOf {
  const { kind, label, facts, name, size, levels, uploads, created } = columns;
  const titleOf = (id: string) => kinds.find((of) => of.id === id)?.title ?? id;
  return {
    resources: { kind, label, facts, name, size, levels, uploads, created },
    held,
    findings: {
      kind: findings.map((finding) => titleOf(finding.kind)),
      sentence: findings.map(({ sentence }) => sentence),
      count: Float64Array.from(findings, ({ count }) => count),
      first: Float64Array.from(findings, ({ positions }) => positions[0] ?? -1),
    },
  };
}
