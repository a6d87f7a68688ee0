import type { PointerCandidate } from '../../base/values_protocol.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import type { FindingKind, FindingSource } from '../../trace/findings.ts';
import { givenName, statementName } from '../../trace/statement_names.ts';
import { whyOf } from './variables.ts';

/** The kinds, as `Suspicion` in `crate/values/src/buffers.rs`. docs/values.md defines each. */
const KINDS: readonly FindingKind[] = [
  {
    id: 'past',
    title: 'Past the end',
    says: 'Pointers at most 64 bytes past the end of a buffer, and in no other one',
  },
  {
    id: 'before',
    title: 'Before the begin',
    says: 'Pointers at most 64 bytes before a buffer that they have pointed into, and in no other one',
  },
  { id: 'short', title: 'Too few bytes', says: 'Pointers with less than an element of their type left in the buffer' },
  { id: 'freed', title: 'Freed memory', says: 'Pointers into a buffer that was freed, and not allocated again' },
];

/** What makes a sentence of the name of a pointer and of {@link whyOf}. */
const VERBS = { past: 'is', before: 'is', short: 'has', freed: 'points' } as const;

/** Pointers of a trace-db trace that may be wrong, as the view Out of bounds of Variables lists them. */
export function valuesFindings({ trace }: OpenTrace): FindingSource {
  return {
    kinds: KINDS,
    look: (report) => {
      let isOver = false;
      const look = async () => {
        const [buffers, statements] = await Promise.all([
          trace.records.aboutValues((values) => values.buffers()),
          trace.records.aboutValues((values) => values.statements(null)),
        ]);
        if (isOver) return;
        if (!buffers || !statements) {
          report({ share: 0, isDone: true, findings: [], error: 'The pointers of this trace could not be checked.' });
          return;
        }
        const at = ({ first: { statement } }: PointerCandidate) =>
          givenName(trace.names, statements, statement) || `statement ${statementName(statements, statement)}`;
        const findings = buffers.candidates.map((it) => ({
          kind: it.why,
          sentence: `${it.name || '(no name)'} ${VERBS[it.why]} ${whyOf(it)} at ${at(it)}, buffer ${it.address}`,
          count: it.count,
          cost: { amount: it.count, unit: 'point' },
          positions: it.points,
        }));
        report({ share: 1, isDone: true, findings, error: '' });
      };
      void look();
      return () => {
        isOver = true;
      };
    },
  };
}
