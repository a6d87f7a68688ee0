import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { formatCount, formatNumber } from '../../../base/format.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { Segments } from '../../../parts/segments.tsx';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import type { Survey } from '../../../trace/survey.ts';
import { surveyOf } from '../../../trace/surveys.ts';
import { type FindsOutputs, type OutputsFound, vertexOutputsOf } from '../../../trace/vertex_outputs.ts';
import type { GlDraw, GlState } from '../gl_state_protocol.ts';
import { type Mesh, meshOf, type Wireframe, wireframeOf } from '../mesh.ts';
import { pointsDown, screenView, spaceView } from '../mesh_camera.ts';
import {
  inputColumns,
  outputColumns,
  outputRemarks,
  rangeOf,
  screenWires,
  type VertexColumn,
} from '../mesh_outputs.ts';
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
        {state.draw && <MeshOf open={open} survey={survey} draw={state.draw} state={state} />}
      </div>
    </Dialog>
  );
}

interface MeshOfProps {
  readonly open: OpenTrace;
  readonly survey: Survey;
  readonly draw: GlDraw;
  readonly state: GlState;
}

function MeshOf({ open, survey, draw, state }: MeshOfProps) {
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
  return <Shown open={open} draw={draw} mesh={mesh.value} state={state} />;
}

/** Which side of the vertex shader is shown. */
type Side = 'inputs' | 'outputs';

function Shown({ open, draw, mesh, state }: { open: OpenTrace; draw: GlDraw; mesh: Mesh; state: GlState }) {
  const isDown = useSignal(pointsDown(state.sections));
  const chosen = useSignal(mesh.positions);
  const side = useSignal<Side>('inputs');
  /** From 0. */
  const instance = useSignal(0);
  /** A place in the order, or -1. */
  const marked = useSignal(-1);
  const areOutputs = side.value === 'outputs';
  const find = vertexOutputsOf(open).value;
  const instances = areOutputs ? mesh.drawn : mesh.instances;
  const wires = useMemo<Wireframe>(
    () => wireframeOf(draw.mode, mesh, chosen.value, instance.value),
    [draw, mesh, chosen.value, instance.value],
  );
  const { bounds, missing } = wires;
  const view = useMemo(() => bounds && spaceView(bounds), [bounds]);
  const inputs = inputColumns(mesh, instance.value);
  return (
    <>
      <div class="mesh-facts">
        {find && (
          <Segments
            label="Side of the vertex shader"
            options={[
              ['inputs', 'Inputs'],
              ['outputs', 'Outputs'],
            ]}
            value={side.value}
            choose={(which) => {
              side.value = which;
              if (which === 'inputs') instance.value = Math.min(instance.value, mesh.instances - 1);
            }}
          />
        )}
        <span>
          {mesh.primitives} <span class="mono muted">{draw.mode}</span>
        </span>
        <span>{mesh.order.length === 1 ? '1 vertex' : `${formatCount(mesh.order.length)} vertices`}</span>
        {mesh.inputs.length > 1 && !areOutputs && (
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
        {instances > 1 && (
          <label>
            Instance{' '}
            <input
              type="number"
              min={1}
              max={instances}
              value={instance.value + 1}
              onInput={(event) => {
                const number = Math.floor(Number(event.currentTarget.value));
                if (number >= 1 && number <= instances) instance.value = number - 1;
              }}
            />{' '}
            of {formatCount(instances)}
          </label>
        )}
        {bounds && !areOutputs && (
          <span class="muted">
            {['x', 'y', 'z']
              .map((axis, i) => `${axis} ${formatNumber(bounds.low[i]!)} to ${formatNumber(bounds.high[i]!)}`)
              .join(' · ')}
          </span>
        )}
      </div>
      {areOutputs && find ? (
        <Outputs {...{ find, draw, mesh, marked, inputs, call: state.call, instance: instance.value }} />
      ) : (
        <>
          <Remarks
            all={[
              ...mesh.remarks,
              ...(missing > 0 && bounds ? [`${formatCount(missing)} vertices have no position in the trace.`] : []),
            ]}
          />
          <div class="mesh-parts grow">
            {view ? (
              <MeshCanvas key={chosen.value} wires={wires} view={view} marked={marked} isDown={isDown} />
            ) : (
              <p class="panel-note muted">{emptyReason(draw, mesh)}</p>
            )}
            <Vertices mesh={mesh} columns={inputs} marked={marked} />
          </div>
        </>
      )}
    </>
  );
}

function Remarks({ all }: { all: readonly string[] }) {
  return all.map((remark) => (
    <p key={remark} class="mesh-remark rigid">
      {remark}
    </p>
  ));
}

interface OutputsProps {
  readonly find: FindsOutputs;
  readonly draw: GlDraw;
  readonly mesh: Mesh;
  readonly marked: Signal<number>;
  /** Stand after the outputs. */
  readonly inputs: readonly VertexColumn[];
  readonly call: number;
  readonly instance: number;
}

/** What the vertex shader has written: the mesh as it is on the screen, and a table. The replay finds it. */
function Outputs({ find, draw, mesh, marked, inputs, call, instance }: OutputsProps) {
  const found = useSignal<OutputsFound | null>(null);
  useEffect(() => {
    let current = true;
    const { first, count } = rangeOf(mesh.order);
    if (count === 0) {
      found.value = { outputs: null, problem: 'The draw has no vertices.' };
      return undefined;
    }
    void find({ call, first, count, instance }).then((answer) => {
      if (current && answer) found.value = answer;
    });
    return () => {
      current = false;
    };
  }, [find, mesh, call, instance]);
  const outputs = found.value?.outputs ?? null;
  const wires = useMemo(() => outputs && screenWires(mesh, draw.mode, outputs), [mesh, draw, outputs]);
  const view = useMemo(() => {
    const [, , width = 1, height = 1] = outputs?.viewport ?? [];
    return screenView(Math.max(1, width) / Math.max(1, height));
  }, [outputs]);
  if (!found.value) return <p class="panel-note muted">Replaying the trace up to this draw…</p>;
  if (!outputs || !wires) {
    return (
      <p class="panel-note" role="alert">
        {found.value.problem}
      </p>
    );
  }
  return (
    <>
      <Remarks all={outputRemarks(outputs, wires.missing)} />
      <div class="mesh-parts mesh-outputs grow">
        <MeshCanvas wires={wires} view={view} marked={marked} isDown={null} />
        <Vertices mesh={mesh} columns={[...outputColumns(outputs, draw.mode), ...inputs]} marked={marked} />
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
