import { formatCount } from '../../../base/format.ts';
import type { ResourceColumns } from '../../../base/survey_protocol.ts';
import { ticks } from '../../../base/ticks.ts';
import type { PanelProps } from '../../../page/page.ts';
import { selectPosition } from '../../../timeline/go_to.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { titleOf } from '../../../trace/resource_titles.ts';
import { momentOf } from '../../../trace/selection.ts';
import type { Survey } from '../../../trace/survey.ts';
import { glStatesOf } from '../state/states.ts';
import { BufferBytes } from './buffer.tsx';
import { ShaderSource } from './shader.tsx';
import { TextureImage } from './texture.tsx';
import { Legend, Steps, type Uses } from './uses.tsx';
import { writtenBefore } from './written.ts';

interface Props extends PanelProps {
  readonly open: OpenTrace;
  readonly survey: Survey;
  /** What happened to the resource. */
  readonly uses: Uses;
  readonly resources: ResourceColumns;
  readonly at: number;
  /** Shows another resource, or none (-1). */
  readonly choose: (at: number) => void;
}

/** One resource: what it holds at the selected call, and where it is used. */
export function Viewer({ open, theme, survey, uses, resources, at, choose }: Props) {
  const place = open.selection.place();
  const call = place ? Number(momentOf(place, open.trace.tracks.value)) : Number.MAX_SAFE_INTEGER;
  const [created, deleted] = [resources.created[at]!, resources.deleted[at]!];
  const kind = resources.kind[at];
  const isInterface = kind === 'interface';
  // Before and after its life there is nothing: what it held last is shown instead.
  const shown = deleted >= 0 && call >= deleted ? deleted - 1 : call < created ? Number.MAX_SAFE_INTEGER : call;
  const when =
    shown === Number.MAX_SAFE_INTEGER
      ? 'at the end'
      : shown === call
        ? `at call ${formatCount(call)}`
        : `when it was ${isInterface ? 'released' : 'deleted'}`;
  const written = writtenBefore(uses.events, shown);
  const go = (to: number) => void selectPosition(ticks(BigInt(to)), open);
  return (
    <section class="resource column" aria-label="Resource">
      <header class="panel-bar">
        <div class="resource-head row">
          <div class="resource-title row">
            <strong>{titleOf(resources, at)}</strong>
            <span class="muted">{when}</span>
          </div>
          <div class="panel-group resource-steps">
            <Steps uses={uses} isInterface={isInterface} call={call} go={go} />
          </div>
        </div>
        <button type="button" class="plain" aria-label="Close" title="Close" onClick={() => choose(-1)}>
          ×
        </button>
      </header>
      <Legend uses={uses} isInterface={isInterface} theme={theme} call={call} go={go} />
      {(kind === 'texture' || (kind === 'renderbuffer' && written !== null)) && (
        <TextureImage open={open} survey={survey} resources={resources} at={at} call={shown} drawn={written} go={go} />
      )}
      {kind === 'buffer' && (
        <BufferBytes
          open={open}
          survey={survey}
          states={glStatesOf(open)}
          resources={resources}
          at={at}
          call={shown}
          written={written}
          go={go}
        />
      )}
      {kind === 'shader' && (
        <ShaderSource survey={survey} title={titleOf(resources, at)} at={at} call={shown} go={go} />
      )}
      {kind !== 'texture' &&
        kind !== 'buffer' &&
        kind !== 'shader' &&
        (kind !== 'renderbuffer' || written === null) && (
          <div class="resource-parts">
            {[...resources.parts[at]!].map((part) => (
              <button key={part} type="button" class="plain link" onClick={() => choose(part)}>
                {titleOf(resources, part)} {resources.facts[part]}
              </button>
            ))}
            {resources.parts[at]!.length === 0 && (
              <span class="muted">
                {isInterface
                  ? 'Contents of Direct3D objects are not reconstructed.'
                  : resources.facts[at] || 'No contents to show.'}
              </span>
            )}
          </div>
        )}
    </section>
  );
}
