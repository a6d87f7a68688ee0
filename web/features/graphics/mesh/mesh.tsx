import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { formatCount, formatNumber } from '../../../base/format.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import type { Survey } from '../../../trace/survey.ts';
import { surveyOf } from '../../../trace/surveys.ts';
import type { GlDraw, GlState } from '../gl_state_protocol.ts';
import { type Mesh, meshOf, type Wireframe, wireframeOf } from '../mesh.ts';
import { pointsDown } from '../mesh_camera.ts';
import { Surveying } from '../surveying.tsx';
import { MeshCanvas } from './canvas.tsx';
import { Vertices } from './vertices.tsx';
import './mesh.css';

/** The mesh of a draw over the whole page: its edges, which can be turned, and its vertices. Escape closes it. */
export function MeshDialog({ open, state, close }: { open: OpenTrace; state: GlState; close: () => void }) {
  const survey = surveyOf(open);
  return (
    <Dialog class="mesh" title="mesh-title" close={close}>
      <div class="panel-body">
        <header class="mesh-head">
          <h2 id="mesh-title">Mesh of call {formatCount(state.call)}</h2>
          <span class="mono muted">{state.name}</span>
          <span class="panel-end" />
          <button type="button" onClick={close}>
            Close
          </button>
        </header>
        {state.draw && <MeshOf survey={survey} draw={state.draw} state={state} />}
      </div>
    </Dialog>
  );
}

function MeshOf({ survey, draw, state }: { survey: Survey; draw: GlDraw; state: GlState }) {
  const { call } = state;
  const mesh = useSignal<Mesh | null>(null);
  const failed = useSignal(false);
  // What buffers hold is known when all calls were read.
  const isReady = survey.resources.value !== null;
  useEffect(() => {
    if (!isReady) return;
    let current = true;
    const bytes = {
      buffer: ({ name, sized }: { name: number; sized: number | null }) => survey.ask.namedBuffer(name, sized, call),
      blob: (of: number) => survey.ask.blob(of),
    };
    meshOf(draw, call, bytes).then(
      (made) => {
        if (current) mesh.value = made;
      },
      () => {
        if (current) failed.value = true;
      },
    );
    return () => {
      current = false;
    };
  }, [survey, draw, call, isReady]);
  if (survey.error.value !== '' || failed.value)
    return (
      <p class="panel-note" role="alert">
        {survey.error.value || 'Not enough memory for the vertices of this draw.'}
      </p>
    );
  if (!isReady) return <Surveying survey={survey} />;
  if (!mesh.value) return <p class="panel-note muted">Reading the vertices…</p>;
  return <Shown draw={draw} mesh={mesh.value} state={state} />;
}

function Shown({ draw, mesh, state }: { draw: GlDraw; mesh: Mesh; state: GlState }) {
  const isDown = useSignal(pointsDown(state.sections));
  const chosen = useSignal(mesh.positions);
  /** From 0. */
  const instance = useSignal(0);
  /** A place in the order, or -1. */
  const marked = useSignal(-1);
  const wires = useMemo<Wireframe>(
    () => wireframeOf(draw.mode, mesh, chosen.value, instance.value),
    [draw, mesh, chosen.value, instance.value],
  );
  const { bounds, missing } = wires;
  return (
    <>
      <div class="mesh-facts">
        <span>
          {mesh.primitives} <span class="mono muted">{draw.mode}</span>
        </span>
        <span>{mesh.order.length === 1 ? '1 vertex' : `${formatCount(mesh.order.length)} vertices`}</span>
        {mesh.inputs.length > 1 && (
          <label>
            Positions{' '}
            <select
              value={chosen.value}
              onChange={(event) => {
                chosen.value = Number(event.currentTarget.value);
              }}
            >
              {mesh.inputs.map(({ input }, i) => (
                <option key={input.title} value={i}>
                  {input.title}
                </option>
              ))}
            </select>
          </label>
        )}
        {mesh.instances > 1 && (
          <label>
            Instance{' '}
            <input
              type="number"
              min={1}
              max={mesh.instances}
              value={instance.value + 1}
              onInput={(event) => {
                const number = Math.floor(Number(event.currentTarget.value));
                if (number >= 1 && number <= mesh.instances) instance.value = number - 1;
              }}
            />{' '}
            of {formatCount(mesh.instances)}
          </label>
        )}
        {bounds && (
          <span class="muted">
            {['x', 'y', 'z']
              .map((axis, i) => `${axis} ${formatNumber(bounds.low[i]!)} to ${formatNumber(bounds.high[i]!)}`)
              .join(' · ')}
          </span>
        )}
      </div>
      {[
        ...mesh.remarks,
        ...(missing > 0 && bounds ? [`${formatCount(missing)} vertices have no position in the trace.`] : []),
      ].map((remark) => (
        <p key={remark} class="mesh-remark rigid">
          {remark}
        </p>
      ))}
      <div class="mesh-parts grow">
        {bounds ? (
          <MeshCanvas key={chosen.value} wires={wires} bounds={bounds} marked={marked} isDown={isDown} />
        ) : (
          <p class="panel-note muted">{emptyReason(draw, mesh)}</p>
        )}
        <Vertices mesh={mesh} instance={instance.value} marked={marked} />
      </div>
    </>
  );
}

/** Why there is nothing to see. */
function emptyReason(draw: GlDraw, mesh: Mesh): string {
  if (mesh.order.length === 0) return 'The draw has no vertices.';
  if (draw.inputs.length === 0) return 'The draw has no vertex arrays: its shader computes the positions.';
  return 'The positions are not in the trace: the GPU wrote them, or they were never uploaded.';
}
