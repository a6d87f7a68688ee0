import { effect, type Signal, signal, untracked, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { formatBytes, formatCount, formatCounted } from '../../../base/format.ts';
import type { ResourceColumns, ResourceKind } from '../../../base/survey_protocol.ts';
import { ticks } from '../../../base/ticks.ts';
import { watch } from '../../../base/watch.ts';
import type { PanelProps, PanelView } from '../../../page/page.ts';
import { type Column, Table } from '../../../parts/table.tsx';
import { atOnce, TakeTable } from '../../../parts/take_table.tsx';
import { goToPosition } from '../../../timeline/go_to.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { KINDS, leakedIn, titleOf } from '../../../trace/resource_titles.ts';
import type { ResourceFilter, Survey } from '../../../trace/survey.ts';
import { surveyOf } from '../../../trace/surveys.ts';
import { markResource } from '../resource_marks.ts';
import { Surveying } from '../surveying.tsx';
import { NO_USES, type Uses } from './uses.tsx';
import { Viewer } from './viewer.tsx';
import { resourceAt, wantedResource } from './wanted.ts';
import './resources.css';

type Order = 'name' | 'size' | 'uploads' | 'draws' | 'binds' | 'created' | 'deleted';

const ALL_COLUMNS: readonly (readonly [Order, title: string, says: string])[] = [
  ['size', 'Size', 'Approximate size in bytes'],
  ['uploads', 'Uploads', 'Calls that uploaded its contents'],
  [
    'draws',
    'Draws',
    'Draws while it was bound: textures to any unit, shaders through the programs they were linked to',
  ],
  ['binds', 'Uses', 'Calls of its methods, and calls that it was passed to'],
  ['created', 'Created', 'Call that created it'],
  ['deleted', 'Deleted', 'Call that deleted it'],
];

/** Columns that only resources of OpenGL have, and those that only interfaces of Direct3D have. */
const OF_OPENGL: readonly Order[] = ['size', 'uploads', 'draws'];
const OF_INTERFACES: readonly Order[] = ['binds'];

/** CSS pixels of the names at least. */
const NAME_WIDTH = 240;

/** CSS pixels of a column of numbers, with the sign of the order in its head. */
function widthOf(by: Order): number {
  return by === 'size' ? 72 : 68;
}

interface Sort {
  readonly by: Order;
  readonly descending: boolean;
}

/** The resources of a trace. The survey begins when this or the table of frames is first shown. */
export function resourcesView(open: OpenTrace): PanelView {
  const survey = surveyOf(open);
  const sort = signal<Sort>({ by: 'created', descending: false });
  const chosen = signal(-1);
  const uses = signal<Uses>(NO_USES);
  const show = (next: Uses) => {
    uses.value = next;
    markResource(open.marked, next.events, open.trace.tracks.peek());
  };
  // The marks stay while another panel is in front.
  open.scope.add(
    watch([chosen], () => {
      const at = chosen.peek();
      show({ at, events: null });
      if (at < 0) return;
      void survey.ask.events(at).then((events) => {
        if (chosen.peek() === at) show({ at, events });
      });
    }),
  );
  // A shader is not shown beside a list of textures, unless it was chosen from one of them.
  open.scope.add(
    watch([survey.filter], () => {
      const { kind } = survey.filter.peek();
      const shown = survey.resources.peek()?.kind[chosen.peek()];
      if (kind !== 'all' && shown !== undefined && shown !== kind) chosen.value = -1;
    }),
  );
  // A link leads to a resource once the survey knows all.
  open.scope.add(
    effect(() => {
      const wanted = wantedResource(open).value;
      const resources = survey.resources.value;
      if (!wanted || !resources) return;
      untracked(() => {
        wantedResource(open).value = null;
        const at = resourceAt(resources, wanted);
        if (at < 0) return;
        // It is in the list, whatever that was narrowed to.
        survey.filter.value = { kind: 'all', frame: null, isLeaked: false };
        chosen.value = at;
      });
    }),
  );
  return {
    component: ({ theme }) => (
      <Resources open={open} theme={theme} survey={survey} sort={sort} chosen={chosen} uses={uses} />
    ),
  };
}

interface Props extends PanelProps {
  readonly open: OpenTrace;
  readonly survey: Survey;
  readonly sort: Signal<Sort>;
  /** The position of the chosen resource, or -1. */
  readonly chosen: Signal<number>;
  /** What happened to it. */
  readonly uses: Signal<Uses>;
}

function Resources({ open, theme, survey, sort, chosen, uses }: Props) {
  const resources = survey.resources.value;
  if (!resources) {
    return (
      <div class="panel-bar">
        {survey.error.value === '' ? <Surveying survey={survey} /> : <span role="alert">{survey.error.value}</span>}
      </div>
    );
  }
  const at = chosen.value;
  const isSplit = at >= 0 && at < resources.count;
  return (
    <div class={isSplit ? 'resources split' : 'resources'}>
      <List open={open} survey={survey} sort={sort} chosen={chosen} resources={resources} />
      {isSplit && (
        <Viewer
          key={at}
          open={open}
          theme={theme}
          survey={survey}
          uses={uses.value}
          resources={resources}
          at={at}
          choose={(other) => {
            chosen.value = other;
          }}
        />
      )}
    </div>
  );
}

/** Positions of the resources that the filter leaves, in order. `used` are those of the frame. */
function rowsOf(
  resources: ResourceColumns,
  { kind, isLeaked }: ResourceFilter,
  used: Uint32Array | null,
  { by, descending }: Sort,
): number[] {
  const all = used ? [...used] : Array.from({ length: resources.count }, (_, i) => i);
  const rows = all.filter(
    (i) => (kind === 'all' || resources.kind[i] === kind) && (!isLeaked || resources.leaked[i] === 1),
  );
  const sign = descending ? -1 : 1;
  return rows.sort((a, b) => sign * (resources[by][a]! - resources[by][b]!) || a - b);
}

function List({
  open,
  survey,
  sort,
  chosen,
  resources,
}: Pick<Props, 'open' | 'survey' | 'sort' | 'chosen'> & { readonly resources: ResourceColumns }) {
  const used = useSignal<Uint32Array | null>(null);
  const filter = survey.filter.value;
  const { kind, frame, isLeaked } = filter;
  const range = open.statistics.range.value;
  const isNarrowed = frame !== null || range !== null;
  useEffect(() => {
    used.value = null;
    if (!frame && !range) return undefined;
    const first = Math.max(frame?.first ?? 0, Number(range?.from ?? 0));
    const last = Math.min(frame?.last ?? Number.MAX_SAFE_INTEGER, Number(range?.to ?? Number.MAX_SAFE_INTEGER) - 1);
    let isNewest = true;
    void survey.ask.used(first, last).then((found) => {
      if (isNewest) used.value = found;
    });
    return () => {
      isNewest = false;
    };
  }, [frame, range, resources]);
  const rows = useMemo(
    () => (isNarrowed && !used.value ? [] : rowsOf(resources, filter, isNarrowed ? used.value : null, sort.value)),
    [resources, filter, isNarrowed, used.value, sort.value],
  );
  // Those that the filter is about are all of the rows.
  const leaked = useMemo(() => leakedIn(resources, rows), [resources, rows]);
  const current = rows.indexOf(chosen.value);
  const present = useMemo(() => KINDS.filter(([id]) => resources.kind.includes(id)), [resources]);
  const sortBy = (by: Order) => {
    sort.value = { by, descending: sort.value.by === by ? !sort.value.descending : by === 'size' || by === 'draws' };
  };
  const hasInterfaces = resources.kind.includes('interface');
  const hasOthers = resources.kind.some((it) => it !== 'interface');
  const ended = !hasInterfaces ? 'deleted' : hasOthers ? 'deleted or released' : 'released';
  const columns = useMemo(() => {
    const left = [...(hasInterfaces ? [] : OF_INTERFACES), ...(hasInterfaces && !hasOthers ? OF_OPENGL : [])];
    return ALL_COLUMNS.filter(([by]) => !left.includes(by)).map(([by, title, says]) => {
      if (by !== 'deleted') return [by, title, says] as const;
      return [by, ended === 'released' ? 'Released' : title, `Call that ${ended} it`] as const;
    });
  }, [hasInterfaces, hasOthers, ended]);
  const isAsking = isNarrowed && used.value === null;
  const choose = (row: number) => {
    chosen.value = rows[row]!;
  };
  const none = rows.length > 0 || isAsking ? '' : noneOf(survey, resources, range !== null);
  const texts = (i: number) => [
    resources.kind[i]!,
    `${resources.name[i]}`,
    resources.label[i]!,
    resources.facts[i]!,
    ...columns.map(([by]) => (by === 'deleted' && resources.deleted[i]! < 0 ? '' : `${resources[by][i]}`)),
  ];
  return (
    <div class="resources-list column">
      <div class="panel-bar">
        <select
          aria-label="Kind"
          value={kind}
          onChange={(event) => {
            const value = event.currentTarget.value as ResourceKind | 'all';
            survey.filter.value = { ...survey.filter.peek(), kind: value };
          }}
        >
          <option value="all">All kinds</option>
          {present.map(([id, , several]) => (
            <option key={id} value={id}>
              {several}
            </option>
          ))}
        </select>
        {frame && (
          <button
            type="button"
            class="plain link"
            title="Show all of the trace"
            onClick={() => {
              survey.filter.value = { ...survey.filter.peek(), frame: null };
            }}
          >
            Used in frame {formatCount(frame.number)} ×
          </button>
        )}
        <span class="muted">{formatCounted(rows.length, 'resource')}</span>
        {leaked > 0 && !frame && (
          <button
            type="button"
            class="plain link"
            aria-pressed={isLeaked}
            title={isLeaked ? 'Show the others as well' : `Show those that were never ${ended}`}
            onClick={() => {
              survey.filter.value = { kind, frame: null, isLeaked: !isLeaked };
            }}
          >
            {formatCount(leaked)} not {ended}
            {isLeaked && ' ×'}
          </button>
        )}
        <Surveying survey={survey} />
        <span class="panel-end" />
        <TakeTable
          name="resources"
          head={['Kind', 'Name', 'Label', 'About', ...columns.map(([, title]) => title)]}
          rows={() => atOnce(rows, texts)}
        />
      </div>
      {none !== '' && <p class="panel-note muted">{none}</p>}
      {none === '' && (
        <Table
          label="Resources"
          id="resource"
          rowId={(i) => i}
          minWidth={`${columns.reduce((sum, [by]) => sum + widthOf(by), NAME_WIDTH)}px`}
          count={rows.length}
          row={(number) => rows[number] ?? null}
          columns={[
            {
              title: 'Resource',
              class: 'words resources-name',
              cell: (i) => (
                <>
                  {titleOf(resources, i)}{' '}
                  {resources.kind[i] !== 'interface' && <span class="muted">{resources.facts[i]}</span>}
                </>
              ),
              look: (i) => ({ title: resources.facts[i] }),
            },
            ...columns.map(
              ([by, title, says]): Column<number> => ({
                title,
                says,
                width: `${widthOf(by)}px`,
                key: by,
                cell: (i) => cellOf(resources, by, i),
              }),
            ),
          ]}
          by={sort.value.by}
          descending={sort.value.descending}
          narrowedBy={[filter, range]}
          sortBy={(key) => sortBy(key as Order)}
          current={current}
          choose={choose}
          menu={(i, row) => ({
            named: null,
            show: () => void goToPosition(ticks(BigInt(resources.created[i]!)), open),
            own: [{ id: 'contents', title: 'Show what it holds', run: () => choose(row) }],
          })}
        />
      )}
    </div>
  );
}

/** Why no resource is listed. */
function noneOf(survey: Survey, resources: ResourceColumns, hasRange: boolean): string {
  const { kind, frame } = survey.filter.value;
  const progress = survey.progress.value;
  if (resources.count > 0) {
    const several = KINDS.find(([id]) => id === kind)?.[2].toLowerCase() ?? 'resources';
    const where = hasRange ? ' in this range' : '';
    if (frame) return `Frame ${formatCount(frame.number)} uses no ${several}${where}.`;
    return hasRange ? `No ${several} are used in this range.` : `This trace has no ${several}.`;
  }
  if (progress && progress.done < progress.of) return 'No resources in the calls that have been read.';
  if (survey.frames.value?.count === 0) return 'No resources: this trace has no calls.';
  return 'No resources: no call of this trace creates a texture, buffer, shader or similar object.';
}

/** A number of a resource as text. */
function cellOf(resources: ResourceColumns, by: Order, i: number): string {
  const number = resources[by][i]!;
  // In words, a few bytes would not fit.
  if (by === 'size') return number === 0 ? '–' : number < 1000 ? `${number} B` : formatBytes(number);
  if (by === 'deleted' && number < 0) return resources.leaked[i] ? 'never' : '–';
  return formatCount(number);
}
