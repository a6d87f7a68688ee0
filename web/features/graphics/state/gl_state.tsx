import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatCount } from '../../../base/format.ts';
import type { Page, PanelView } from '../../../page/page.ts';
import { PlaceLink } from '../../../page/place_link.tsx';
import { showPlace } from '../../../page/places.ts';
import { Building } from '../../../parts/building.tsx';
import { Lazy } from '../../../parts/lazy.tsx';
import { useRowMenu } from '../../../parts/menu/row_menu.ts';
import { useOneTabStop } from '../../../parts/one_tab_stop.ts';
import { Segments } from '../../../parts/segments.tsx';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import type { GlStates } from '../gl_state.ts';
import type { GlObject, GlRow, GlSection, GlState } from '../gl_state_protocol.ts';
import type { MeshDialog } from '../mesh/mesh.tsx';
import { againstOf } from './against.ts';
import { CompareState } from './compare_buttons.tsx';
import { ShaderDialog, stageName } from './shader_source.tsx';
import { glStatesOf } from './states.ts';
import { Thumbnail } from './thumbnail.tsx';
import './gl_state.css';

/** The OpenGL state of a trace. Its reading begins with the first call. */
export function glStateOf(open: OpenTrace, page: Page): PanelView {
  const states = glStatesOf(open);
  return { component: () => <State open={open} page={page} states={states} /> };
}

/** What the parts of the pane are about. */
interface Shows {
  readonly open: OpenTrace;
  readonly page: Page;
  readonly state: GlState;
}

/** Sections that a draw does not use by themselves, but which decide what it draws: they are not folded. */
const OPEN: readonly string[] = ['Viewport and scissor', 'Blending', 'Depth test'];

function State({ open, page, states }: { open: OpenTrace; page: Page; states: GlStates }) {
  useEffect(() => states.follow(), [states]);
  const isCompared = againstOf(open).value !== null;
  const call = states.call.value;
  const shown = states.shown.value;
  const built = states.built.value;
  const error = states.error.value;
  if (isCompared) {
    return <Lazy load={async () => (await import('./compared.tsx')).ComparedState} props={{ open, page }} />;
  }
  return (
    <>
      <Reading states={states} />
      {error !== '' && (
        <p class="remark" role="alert">
          {error}
        </p>
      )}
      {!built && error === '' && <p class="muted">State is available once the trace has been read.</p>}
      {built && call === null && <p class="muted">Select a call for the state of its context.</p>}
      {built && call !== null && (!shown || shown.call !== call) && <Waiting states={states} call={call} />}
      {call !== null && shown && <Shown open={open} page={page} states={states} state={shown} />}
    </>
  );
}

/** How far the reading is, until it is done. */
function Reading({ states }: { states: GlStates }) {
  const built = states.built.value;
  if (!built || built.done || states.error.value !== '') return null;
  const share = built.built / Math.max(1, built.count);
  return <Building share={share} isStopped={states.isStopped.value} stop={states.stop} goOn={states.goOn} />;
}

/** Why the state of the selected call is not there. */
function Waiting({ states, call }: { states: GlStates; call: number }) {
  const built = states.built.value;
  if (!built || call < built.built || states.error.value !== '') return null;
  const why = built.full
    ? `The memory limit is reached: state is known up to call ${formatCount(built.built)}.`
    : `Call ${formatCount(call)} is not read yet.`;
  return <p class="muted">{why}</p>;
}

function Shown({ states, ...shows }: Shows & { readonly states: GlStates }) {
  const { open, state } = shows;
  const { context, since } = state;
  /** The stage whose source is open. */
  const stage = useSignal('');
  const changed = state.sections.reduce((sum, { rows }) => sum + rows.filter((row) => row.isChanged).length, 0);
  return (
    <>
      <div class="gl-head row wrap">
        <p>
          <span class="mono">{state.name}</span> <span class="muted">call {formatCount(state.call)}</span>
        </p>
        <Segments
          label="Moment"
          options={[
            ['before', 'Before'],
            ['after', 'After'],
          ]}
          value={states.isBefore.value ? 'before' : 'after'}
          choose={(moment) => states.showBefore(moment === 'before')}
        />
        {state.draw && <ShowMesh key={state.call} open={open} state={state} />}
        {context && <CompareState open={open} call={state.call} />}
      </div>
      {!context && (
        <p class="muted">
          {/^(I?(D3D|Direct|DXGI)|CreateDXGI)/.test(state.name)
            ? 'State is known for OpenGL calls only, not for Direct3D.'
            : 'No context is current in this thread.'}
        </p>
      )}
      {context && (
        <p class="muted gl-context">
          {context.name} · {context.text}
        </p>
      )}
      {state.isPartial && (
        <p class="remark">The context was created before the trace begins. State that no call has set is unknown.</p>
      )}
      {since !== null && (
        <p class="muted">
          {changed === 0 ? 'Nothing has changed' : <span class="gl-changed-word">{formatCount(changed)} changed</span>}{' '}
          since the draw at <Call {...shows} call={since} />
        </p>
      )}
      {state.sections
        .filter(({ isUsed }) => isUsed)
        .map((section) => (
          <section class="gl-section" key={section.title} aria-label={section.title}>
            <h2>{section.title}</h2>
            <Rows {...shows} rows={section.rows} />
            {section.title === 'Program' && <Shaders {...shows} show={(which) => (stage.value = which)} />}
          </section>
        ))}
      {state.sections
        .filter(({ isUsed }) => !isUsed)
        .map((section) => (
          <Folded key={section.title} {...shows} section={section} />
        ))}
      {stage.value !== '' && (
        <ShaderDialog
          shaders={state.shaders}
          stage={stage.value}
          choose={(which) => (stage.value = which)}
          close={() => (stage.value = '')}
        />
      )}
    </>
  );
}

/** Opens the mesh of a draw. */
function ShowMesh({ open, state }: { open: OpenTrace; state: GlState }) {
  const Dialog = useSignal<typeof MeshDialog | null>(null);
  return (
    <>
      <button
        type="button"
        onClick={() => {
          void import('../mesh/mesh.tsx').then((module) => {
            Dialog.value = module.MeshDialog;
          });
        }}
      >
        Show mesh
      </button>
      {Dialog.value && (
        <Dialog.value
          open={open}
          state={state}
          close={() => {
            Dialog.value = null;
          }}
        />
      )}
    </>
  );
}

/** A link to the call that set something. */
function Call({ open, page, call }: Shows & { readonly call: number }) {
  return (
    <PlaceLink open={open} page={page} place={{ to: 'position', at: call }} title="Select this call" class="gl-call">
      call {formatCount(call)}
    </PlaceLink>
  );
}

function Shaders({ show, ...shows }: Shows & { readonly show: (stage: string) => void }) {
  const { state } = shows;
  const stages = Object.keys(state.shaders);
  if (stages.length === 0) return null;
  return (
    <ul class="gl-shaders">
      {stages.map((stage) => {
        const linked = state.linked[stage];
        return (
          <li key={stage} class={linked?.isChanged ? 'gl-changed' : undefined}>
            <button type="button" onClick={() => show(stage)}>
              {stageName(stage)}
            </button>
            <span class="muted">{formatCount(state.shaders[stage]!.split('\n').length)} lines</span>
            {linked && <Call {...shows} call={linked.call} />}
          </li>
        );
      })}
    </ul>
  );
}

/** A section that a draw does not use by itself. */
function Folded({ section, ...shows }: Shows & { readonly section: GlSection }) {
  const { title, rows } = section;
  const changed = rows.filter((row) => row.isChanged).length;
  const set = rows.filter((row) => row.call !== null).length;
  return (
    <details class="gl-section" open={OPEN.includes(title)}>
      <summary>
        <h2>{title}</h2>
        {changed > 0 && <span class="gl-changed-word">{formatCount(changed)} changed</span>}
        <span class="muted">{set === 0 ? 'initial' : `${formatCount(set)} set`}</span>
      </summary>
      <Rows {...shows} rows={rows} />
    </details>
  );
}

function Rows({ rows, ...shows }: Shows & { readonly rows: readonly GlRow[] }) {
  const box = useRef<HTMLDListElement>(null);
  useOneTabStop(box);
  const onMenu = useRowMenu((number) => {
    const call = rows[number]?.call ?? null;
    return {
      named: null,
      show: call === null ? null : () => showPlace({ to: 'position', at: call }, shows.open, shows.page),
    };
  });
  return (
    <dl class="gl-rows" ref={box} onContextMenu={onMenu}>
      {rows.map((row, i) => (
        <div key={i} data-row={i} class={row.isChanged ? 'gl-changed' : row.call === null ? 'gl-initial' : undefined}>
          <dt>
            {row.isChanged && <span class="unseen">changed: </span>}
            {row.object?.kind === 'program' ? <ObjectLink {...shows} object={row.object} text={row.name} /> : row.name}
          </dt>
          <dd>
            <Value {...shows} row={row} /> {row.call !== null && <Call {...shows} call={row.call} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A value. An object leads to what it holds; the name of a program is that of its row. */
function Value({ row: { object, text }, ...shows }: Shows & { readonly row: GlRow }) {
  if (object && object.kind !== 'program') return <ObjectLink {...shows} object={object} text={text} />;
  return <span class={text.includes('\n') ? 'gl-matrix' : undefined}>{text}</span>;
}

interface ObjectLinkProps extends Shows {
  readonly object: GlObject;
  readonly text: string;
}

function ObjectLink({ open, page, state, object, text }: ObjectLinkProps) {
  const place = { to: 'resource', ...object, call: state.call } as const;
  return (
    <PlaceLink open={open} page={page} place={place} title="Show it in Resources" class="gl-object">
      {object.kind === 'texture' && <Thumbnail open={open} place={place} />}
      {text}
    </PlaceLink>
  );
}
