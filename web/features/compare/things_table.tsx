import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { shortened } from '../../base/format.ts';
import type { HeldColumns } from '../../base/survey_protocol.ts';
import { SideMark } from '../../parts/side_mark.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import type { OpenTrace, Pair } from '../../timeline/open_trace.ts';
import { findingsOf } from '../../trace/findings.ts';
import { surveyOf } from '../../trace/surveys.ts';
import type { Comparison } from './comparison.ts';
import type { FoundThing, FoundThings, SaidOfThing } from './protocol.ts';
import { type Resources, thingsOf } from './things.ts';
import { showPoint, showPoints } from './values.ts';

interface Props extends Pick<Comparison, 'thingsApart'> {
  readonly pair: Pair;
  /** The choice of a view. */
  readonly lead: ComponentChildren;
}

/** Resources and findings of OpenGL calls that are new, gone, or not the same. A row leads to the calls in both traces. */
export function ThingsOfBoth({ pair, lead, thingsApart }: Props) {
  const [a, b] = [useResources(pair.a), useResources(pair.b)];
  const [inA, inB] = [findingsOf(pair.a), findingsOf(pair.b)];
  useEffect(() => {
    inA?.look();
    inB?.look();
  }, [inA, inB]);
  const isFound = [inA, inB].every((of) => ['done', 'failed'].includes(of?.state.value.at ?? 'done'));
  const kinds = inA?.kinds.value;
  const [ofA, ofB] = [inA?.all.value, inB?.all.value];
  const found = useSignal<FoundThings | string | null>(null);
  useEffect(() => {
    found.value = null;
    if (!a || !b || !isFound) return undefined;
    let isOver = false;
    const take = (answer: FoundThings | string) => {
      if (!isOver) found.value = answer;
    };
    thingsApart(thingsOf(a, ofA ?? [], kinds ?? []), thingsOf(b, ofB ?? [], kinds ?? [])).then(take, (thrown) =>
      take(String(thrown)),
    );
    return () => {
      isOver = true;
    };
  }, [a, b, ofA, ofB, kinds, isFound]);
  const now = found.value;
  const rows = now && typeof now !== 'string' ? now.rows : [];
  const sentence = typeof now === 'string' ? now : (now?.sentence ?? 'Resources and findings are being compared…');
  return (
    <>
      <div class="panel-bar">{lead}</div>
      <p class="difference-sentence ellipsis" title={sentence} role="status">
        {sentence}
      </p>
      {rows.length > 0 && (
        <Table
          label="Differences between resources and findings"
          id="thing-difference"
          sorts={rows}
          narrowedBy={[]}
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
    const done = (held: HeldColumns | null) => {
      // Without contents, there is what is known of them.
      const none = { key: columns.kind.map(() => ''), uploaded: new Float64Array(columns.count).fill(-1) };
      if (!isOver) read.value = { columns, held: held ?? none };
    };
    survey.ask.held().then(done, () => done(null));
    return () => {
      isOver = true;
    };
  }, [survey, columns]);
  return read.value;
}

function columnsOf(pair: Pair): readonly Column<FoundThing>[] {
  const side = (of: 'a' | 'b'): Column<FoundThing> => ({
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

function placeOf(of: SaidOfThing | null): { readonly point: number; readonly track: null } | null {
  return of === null || of.call === null ? null : { point: of.call, track: null };
}
