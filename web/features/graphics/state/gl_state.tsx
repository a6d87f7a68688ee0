import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { formatCount } from '../../../base/format.ts';
import type { PanelView } from '../../../page/page.ts';
import { Building } from '../../../parts/building.tsx';
import { useRowMenu } from '../../../parts/menu/row_menu.ts';
import { useOneTabStop } from '../../../parts/one_tab_stop.ts';
import { Segments } from '../../../parts/segments.tsx';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import type { GlStates } from '../gl_state.ts';
import type { GlRow, GlSection, GlState } from '../gl_state_protocol.ts';
import type { MeshDialog } from '../mesh/mesh.tsx';
import { ShaderDialog, stageName } from './shader_source.tsx';
import { glStatesOf } from './states.ts';
import './gl_state.css';

/** The OpenGL state of a trace. Its reading begins with the first call. */
export function glStateOf(open: OpenTrace): PanelView {
  const states = glStatesOf(open);
  return { component: () => <State open={open} states={states} /> };
}

function State({ open, states }: { open: OpenTrace; states: GlStates }) {
  const call = states.call.value;
  const shown = states.shown.value;
  const built = states.built.value;
  const error = states.error.value;
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
      {call !== null && shown && <Shown open={open} states={states} state={shown} />}
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

function Shown({ open, states, state }: { open: OpenTrace; states: GlStates; state: GlState }) {
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
          since the draw at <Call states={states} call={since} />
        </p>
      )}
      {state.sections
        .filter(({ isUsed }) => isUsed)
        .map((section) => (
          <section class="gl-section" key={section.title} aria-label={section.title}>
            <h3>{section.title}</h3>
            <Rows states={states} rows={section.rows} />
            {section.title === 'Vertex inputs' && state.draw && <ShowMesh key={state.call} open={open} state={state} />}
            {section.title === 'Program' && (
              <Shaders states={states} state={state} show={(which) => (stage.value = which)} />
            )}
          </section>
        ))}
      {state.sections
        .filter(({ isUsed }) => !isUsed)
        .map((section) => (
          <Folded key={section.title} states={states} section={section} />
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
    <p class="gl-mesh">
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
    </p>
  );
}

/** A link to the call that set something. */
function Call({ states, call }: { states: GlStates; call: number }) {
  return (
    <button type="button" class="plain link gl-call" title="Select this call" onClick={() => states.goTo(call)}>
      call {formatCount(call)}
    </button>
  );
}

function Shaders({ states, state, show }: { states: GlStates; state: GlState; show: (stage: string) => void }) {
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
            {linked && <Call states={states} call={linked.call} />}
          </li>
        );
      })}
    </ul>
  );
}

/** A section that a draw does not use by itself. It is open where something has changed. */
function Folded({ states, section }: { states: GlStates; section: GlSection }) {
  const { title, rows } = section;
  const changed = rows.filter((row) => row.isChanged).length;
  const set = rows.filter((row) => row.call !== null).length;
  return (
    <details class="gl-section">
      <summary>
        <h3>{title}</h3>
        {changed > 0 && <span class="gl-changed-word">{formatCount(changed)} changed</span>}
        <span class="muted">{set === 0 ? 'initial' : `${formatCount(set)} set`}</span>
      </summary>
      <Rows states={states} rows={rows} />
    </details>
  );
}

function Rows({ states, rows }: { states: GlStates; rows: readonly GlRow[] }) {
  const box = useRef<HTMLDListElement>(null);
  useOneTabStop(box);
  const onMenu = useRowMenu((number) => {
    const call = rows[number]?.call ?? null;
    return { named: null, show: call === null ? null : () => states.goTo(call) };
  });
  return (
    <dl class="gl-rows" ref={box} onContextMenu={onMenu}>
      {rows.map((row, i) => (
        <div key={i} data-row={i} class={row.isChanged ? 'gl-changed' : row.call === null ? 'gl-initial' : undefined}>
          <dt>
            {row.isChanged && <span class="unseen">changed: </span>}
            {row.name}
          </dt>
          <dd>
            <span class={row.text.includes('\n') ? 'gl-matrix' : undefined}>{row.text}</span>{' '}
            {row.call !== null && <Call states={states} call={row.call} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}
