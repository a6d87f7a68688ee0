import { createFindings, type Findings } from '../../model/findings.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import { SOURCES } from './sources.ts';

/** The findings of open traces: each keeps what it knows while nothing shows it. */
const all = new WeakMap<OpenTrace, Findings>();

/** The findings of a trace. null if nothing looks for any in its format. */
export function findingsOf(open: OpenTrace): Findings | null {
  const known = all.get(open);
  if (known) return known;
  const offers = open.trace.info.value?.offers ?? [];
  const source = SOURCES.find(({ by }) => offers.includes(by));
  if (!source) return null;
  const findings = createFindings(() => source.load(open));
  all.set(open, findings);
  open.scope.add(findings.dispose);
  return findings;
}
