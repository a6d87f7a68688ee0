import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { formatCount } from '../../../base/format.ts';
import { Glsl } from '../../../parts/glsl.tsx';
import type { Survey } from '../../../trace/survey.ts';
import { diffLines } from '../line_diff.ts';
import { ShaderDialog } from '../state/shader_source.tsx';

interface Props {
  readonly survey: Survey;
  /** What the shader is called. */
  readonly title: string;
  readonly at: number;
  readonly call: number;
  readonly go: (call: number) => void;
}

const LINES = { same: 'line', added: 'line added', removed: 'line removed' } as const;

type Versions = readonly (readonly [call: number, text: string])[];

/** The source of a shader, with the differences from the version before. */
export function ShaderSource({ survey, title, at, call, go }: Props) {
  const isLarge = useSignal(false);
  const versions = useSignal<Versions | null>(null);
  const chosen = useSignal(-1);
  const compares = useSignal(false);
  useEffect(() => {
    let current = true;
    void survey.ask.sources(at, call).then((found) => {
      if (!current) return;
      versions.value = found ?? [];
      chosen.value = (found?.length ?? 0) - 1;
    });
    return () => {
      current = false;
    };
  }, [survey, at, call]);
  const all = versions.value;
  const version = all?.[chosen.value];
  const previous = all?.[chosen.value - 1];
  const lines = useMemo(() => {
    if (!version) return [];
    const plain = version[1].split('\n').map((text) => ({ how: 'same' as const, text }));
    const shown = compares.value && previous ? diffLines(previous[1], version[1]) : plain;
    // Those of the version before have no number in this one.
    let number = 0;
    return shown.map((line) => ({ ...line, number: line.how === 'removed' ? '' : ++number }));
  }, [version, previous, compares.value]);
  if (!all) return <p class="panel-note muted">Reading the source…</p>;
  if (!version) return <p class="panel-note muted">The shader has no source at this call.</p>;
  return (
    <div class="shader column grow">
      <div class="panel-bar">
        {all.length > 1 && (
          <select
            aria-label="Version"
            value={chosen.value}
            onChange={(event) => {
              chosen.value = Number(event.currentTarget.value);
            }}
          >
            {all.map(([number], i) => (
              <option key={number} value={i}>
                Version {i + 1}
              </option>
            ))}
          </select>
        )}
        {previous && (
          <label>
            <input
              type="checkbox"
              checked={compares.value}
              onChange={() => {
                compares.value = !compares.value;
              }}
            />
            Differences
          </label>
        )}
        <span class="muted">
          from{' '}
          <button type="button" class="plain link" onClick={() => go(version[0])}>
            call {formatCount(version[0])}
          </button>
        </span>
        <span class="panel-end" />
        <button
          type="button"
          class="plain link"
          onClick={() => {
            isLarge.value = true;
          }}
        >
          Enlarge
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is within reach of the keyboard. */}
      <section class="shader-box grow" tabIndex={0} aria-label="Source">
        <pre>
          {lines.map(({ how, text, number }, i) => (
            <div key={i} class={LINES[how]} data-line={number} data-mark={{ same: '', added: '+', removed: '−' }[how]}>
              <Glsl source={text} />
            </div>
          ))}
        </pre>
      </section>
      {isLarge.value && (
        <ShaderDialog
          shaders={{ [title]: version[1] }}
          stage={title}
          title={title}
          choose={() => undefined}
          close={() => {
            isLarge.value = false;
          }}
        />
      )}
    </div>
  );
}
