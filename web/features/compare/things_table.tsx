import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { formatBytes, formatCounted, shortened } from '../../base/format.ts';
import { SideMark } from '../../parts/side_mark.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import type { OpenTrace, Pair } from '../../timeline/open_trace.ts';
import { findingsOf } from '../../trace/findings.ts';
import { surveyOf } from '../../trace/surveys.ts';
import { findingsApart, heldBy, type Resources, resourcesApart, type Thing, type ThingOf } from './things.ts';
import { showPoint, showPoints } from './values.ts';

/** Resources and findings of OpenGL calls that are new, gone, or not the same. A row leads to the calls in both traces. */
export function ThingsOfBoth({ pair }: { readonly pair: Pair }) {
  const [a, b] = [useResources(pair.a), useResources(pair.b)];
  const [inA, inB] = [findingsOf(pair.a), findingsOf(pair.b)];
  useEffect(() => {
    inA?.look();
    inB?.look();
  }, [inA, inB]);
  const isFound = [inA, inB].every((of) => of?.state.value.at === 'done');
  const kinds = inA?.kinds.value;
  const [ofA, ofB] = [inA?.all.value, inB?.all.value];
  const rows = useMemo((): readonly Thing[] => {
    const resources = a && b ? resourcesApart(a, b, formatBytes) : [];
    const times = (count: number) => formatCounted(count, 'call');
    const findings = isFound && ofA && ofB && kinds ? findingsApart(ofA, ofB, kinds, times) : [];
    return [...findings, ...resources];
  }, [a, b, ofA, ofB, kinds, isFound]);
  const isWaiting = !a || !b || [inA, inB].some((of) => ['idle', 'looking'].includes(of?.state.value.at ?? 'done'));
  return (
    <>
      <p class="panel-note muted" role="status">
        {isWaiting
          ? 'Resources and findings are being looked for…'
          : rows.length === 0
            ? 'Resources and findings are the same.'
            : `Resources and findings: ${formatCounted(rows.length, 'difference')}.`}
      </p>
      {rows.length > 0 && (
        <Table
          label="Differences between resources and findings"
          id="thing-difference"
          sorts={rows}
          count={rows.length}
          row={(at) => rows[at] ?? null}
          columns={columnsOf(pair)}
          choose={(at) => {
            const row = rows[at];
            if (row) void showPoints(pair, placeOf(row.a), placeOf(row.b));
          }}
        />
      )}
    </>
  );
}

/** The resources of a trace with what they hold, once both are known. */
function useResources(open: OpenTrace): Resources | null {
  const survey = surveyOf(open);
  const columns = survey.resources.value;
  const read: Signal<Resources | null> = useSignal(null);
  useEffect(() => {
    read.value = null;
    if (!columns) return undefined;
    let isOver = false;
    const done = (held: Resources['held']) => {
      if (!isOver) read.value = { columns, held };
    };
    // Without contents, there is what is known of them.
    heldBy(columns, survey.ask).then(done, () => done([]));
    return () => {
      isOver = true;
    };
  }, [survey, columns]);
  return read.value;
}

function columnsOf(pair: Pair): readonly Column<Thing>[] {
  const side = (of: 'a' | 'b'): Column<Thing> => ({
    id: `thing-${of}`,
    title: `In ${of.toUpperCase()}`,
    class: 'words',
    cell: (row) => {
      const is = row[of];
      const place = placeOf(is);
      if (!is) return <span class="muted">–</span>;
      if (!place) return shortened(is.says);
      return (
        <button
          type="button"
          class="plain link"
          tabIndex={-1}
          title={`Call ${place.point} of ${of.toUpperCase()}`}
          onClick={(event) => {
            event.stopPropagation();
            void showPoint(pair, of, place);
          }}
        >
          {shortened(is.says) || `call ${place.point}`}
        </button>
      );
    },
    look: (row) => ({ title: row[of]?.says }),
    value: (row) => row[of]?.says ?? null,
  });
  return [
    {
      title: 'Resource or finding',
      class: 'words',
      cell: ({ title }) => shortened(title),
      look: ({ title }) => ({ title }),
      value: ({ title }) => title,
    },
    side('a'),
    side('b'),
    {
      title: 'Verdict',
      class: 'words',
      width: '90px',
      cell: ({ verdict }) =>
        verdict === 'changed' ? (
          verdict
        ) : (
          <>
            <SideMark side={verdict === 'new' ? 'b' : 'a'} /> {verdict}
          </>
        ),
      value: ({ verdict }) => verdict,
    },
  ];
}

function placeOf(of: ThingOf | null): { readonly point: number; readonly track: null } | null {
  return of === null || of.call === null ? null : { point: of.call, track: null };
}
