import { capitalised } from '../../../base/format.ts';
import { Copyable } from '../../../parts/copyable.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Glsl } from '../../../parts/glsl.tsx';
import { Segments } from '../../../parts/segments.tsx';
import './shader_source.css';

/** What a stage is called. */
export function stageName(stage: string): string {
  return capitalised(stage.replace(/^GL_/, '').replaceAll('_', ' ').toLowerCase());
}

/** The source of a shader, with line numbers, as wide as the window. */
export function ShaderDialog({
  shaders,
  stage,
  title = stageName(stage),
  choose,
  close,
}: {
  shaders: Readonly<Record<string, string>>;
  stage: string;
  title?: string;
  choose: (stage: string) => void;
  close: () => void;
}) {
  const source = shaders[stage] ?? '';
  return (
    <Dialog class="shader-dialog" title="shader-title" close={close}>
      <div class="panel-body">
        <header class="shader-head row wrap">
          <h2 id="shader-title">{title}</h2>
          {Object.keys(shaders).length > 1 && (
            <Segments
              label="Shader"
              options={Object.keys(shaders).map((it) => [it, stageName(it).replace(/ shader$/, '')] as const)}
              value={stage}
              choose={choose}
            />
          )}
          <Copyable text={source}>Copy</Copyable>
          <button type="button" onClick={close}>
            Close
          </button>
        </header>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key. */}
        <section class="shader-scroll" aria-label="Source" tabIndex={0}>
          <Source source={source} />
        </section>
      </div>
    </Dialog>
  );
}

/** Source with colours. */
function Source({ source }: { source: string }) {
  const text = source.replace(/\s+$/, '');
  const count = text.split('\n').length;
  return (
    <div class="shader-source">
      <pre class="shader-lines" aria-hidden="true">
        {Array.from({ length: count }, (_, i) => `${i + 1}\n`).join('')}
      </pre>
      <pre class="shader-code">
        <Glsl source={text} />
      </pre>
    </div>
  );
}
