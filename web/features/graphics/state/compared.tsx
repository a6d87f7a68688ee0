import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { formatCount, formatCounted } from '../../../base/format.ts';
import type { Page } from '../../../page/page.ts';
import { PlaceLink } from '../../../page/place_link.tsx';
import { Building } from '../../../parts/building.tsx';
import { Glsl } from '../../../parts/glsl.tsx';
import { SideMark } from '../../../parts/side_mark.tsx';
import { type OpenTrace, sideOf } from '../../../timeline/open_trace.ts';
import type { GlRow, GlState } from '../gl_state_protocol.ts';
import type { DiffLine } from '../line_diff.ts';
import { type RowDifference, stateDifference } from '../state_difference.ts';
import { againstOf, type Kept, otherOf } from './against.ts';
import { stageName } from './shader_source.tsx';
import { glStatesOf } from './states.ts';
import './compared.css';

interface Props {
  readonly open: OpenTrace;
  readonly page: Page;
}

/** A state that is compared. */
interface Side extends Kept {
  readonly mark: ComponentChildren;
}

/** What differs between the state at two calls: of both traces, or of one. */
export function ComparedState({ open, page }: Props) {
  const against = againstOf(open);
  const sides = sidesOf(open);
  const [a, b] = typeof sides === 'string' ? [null, null] : sides;
  const found = useSignal<readonly [GlState | null, GlState | null] | null>(null);
  useEffect(() => {
    if (!a || !b) return undefined;
    let isCurrent = true;
    void Promise.all([a, b].map((side) => glStatesOf(side.open).at(side.call))).then(([first, second]) => {
      if (isCurrent) found.value = [first ?? null, second ?? null];
    });
    return () => {
      isCurrent = false;
    };
  }, [a?.open, a?.call, b?.open, b?.call]);
  const [first, second] = found.value ?? [null, null];
  const difference = useMemo(() => first && second && stateDifference(first, second), [first, second]);
  const count = difference?.sections.reduce((sum, { rows }) => sum + rows.length, 0) ?? 0;
  return (
    <section aria-label="Differences of state">
      <div class="gl-head row wrap">
        <p>
          {a && b ? (
            [a, b].map((side, i) => (
              <span key={i} class="state-side">
                {side.mark}{' '}
                <PlaceLink {...{ open: side.open, page }} place={{ to: 'position', at: side.call }} title="Select it">
                  call {formatCount(side.call)}
                </PlaceLink>
              </span>
            ))
          ) : (
            <span class="muted">{sides as string}</span>
          )}
        </p>
        <button
          type="button"
          class="plain"
          aria-label="Stop comparing"
          title="Stop comparing"
          onClick={() => {
            against.value = null;
          }}
        >
          ×
        </button>
      </div>
      {[...new Set([a?.open, b?.open])].map((it) => it && <Reading key={it.id} open={it} />)}
      {a && b && found.value && !difference && <p class="muted">The state is not known at one of these calls.</p>}
      {a && b && difference && (
        <>
          <p class="muted" role="status">
            {differingInWords(count, difference.shaders.length)}
          </p>
          {difference.sections.map(({ title, rows }) => (
            <section class="gl-section" key={title} aria-label={title}>
              <h2>{title}</h2>
              <dl class="gl-rows">
                {rows.map((row, i) => (
                  <div key={i}>
                    <dt>{row.name}</dt>
                    <Values row={row} marks={[a.mark, b.mark]} />
                  </div>
                ))}
              </dl>
            </section>
          ))}
          {difference.shaders.map(({ stage, lines }) => (
            <section class="gl-section" key={stage} aria-label={stageName(stage)}>
              <h2>{stageName(stage)}</h2>
              <Lines lines={lines} />
            </section>
          ))}
        </>
      )}
    </section>
  );
}

/** How many values and shaders differ. */
function differingInWords(values: number, shaders: number): string {
  if (values + shaders === 0) return 'The state is the same after both calls.';
  const counted = [values > 0 && formatCounted(values, 'value'), shaders > 0 && formatCounted(shaders, 'shader')];
  const verb = values + shaders === 1 ? 'differs' : 'differ';
  return `${counted.filter(Boolean).join(' and ')} ${verb} after these calls.`;
}

/** The two states; or why there are none, in a sentence. Subscribes. */
function sidesOf(open: OpenTrace): readonly [Side, Side] | string {
  const against = againstOf(open).value;
  const call = glStatesOf(open).call.value;
  if (call === null) return 'Select a call.';
  const mine = sideOf(open);
  const own = { open, call, mark: mine && <SideMark side={mine} /> };
  const other = otherOf(open);
  if (against === 'other' || (against && against.open !== open)) {
    if (!other) return 'There is no other trace.';
    const its = against === 'other' ? glStatesOf(other.open).call.value : against.call;
    if (its === null) return `Select a call in ${other.side.toUpperCase()}, too.`;
    const side = { open: other.open, call: its, mark: <SideMark side={other.side} /> };
    return mine === 'a' ? [own, side] : [side, own];
  }
  if (!against) return '';
  if (against.call === call) return 'Select another call to compare it with this one.';
  return [
    { ...against, mark: 'Kept' },
    { ...own, mark: 'Selected' },
  ];
}

/** How far the reading of a trace is, until it is done. */
function Reading({ open }: { open: OpenTrace }) {
  const states = glStatesOf(open);
  const built = states.built.value;
  if (states.error.value !== '') {
    return (
      <p class="remark" role="alert">
        {states.error.value}
      </p>
    );
  }
  if (!built) return <p class="muted">State is available once the trace has been read.</p>;
  if (built.done) return null;
  const share = built.built / Math.max(1, built.count);
  return <Building share={share} isStopped={states.isStopped.value} stop={states.stop} goOn={states.goOn} />;
}

function Values({ row, marks }: { row: RowDifference; marks: readonly ComponentChildren[] }) {
  return (
    <>
      {[row.a, row.b].map((of, i) => (
        <dd key={i} class="state-value">
          <span class="state-mark">{marks[i]}</span>
          <Text row={of} />
        </dd>
      ))}
    </>
  );
}

function Text({ row }: { row: GlRow | null }) {
  if (!row) return <span class="muted">none</span>;
  return <span class={row.text.includes('\n') ? 'gl-matrix' : undefined}>{row.text}</span>;
}

const LINES = { same: undefined, added: 'state-line-added', removed: 'state-line-removed' } as const;
const MARKS = { same: ' ', added: '+', removed: '−' } as const;

/** Lines that differ, with some around them. */
function Lines({ lines }: { lines: readonly DiffLine[] }) {
  const near = lines.map((_, i) =>
    lines.slice(Math.max(0, i - AROUND), i + AROUND + 1).some(({ how }) => how !== 'same'),
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is within reach of the keyboard.
    <pre class="state-lines" tabIndex={0}>
      {lines.map(({ how, text }, i) => {
        if (!near[i])
          return near[i - 1] ? (
            <div key={i} class="muted">
              {'  …'}
            </div>
          ) : null;
        return (
          <div key={i} class={LINES[how]}>
            {MARKS[how]} {how === 'same' ? <Glsl source={text} /> : text}
          </div>
        );
      })}
    </pre>
  );
}

/** Lines that are the same and shown before and after those that differ. */
const AROUND = 2;
