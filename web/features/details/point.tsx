import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { formatCount } from '../../base/format.ts';
import type { Details, Field, Ticks, Value } from '../../base/protocol.ts';
import { ticks } from '../../base/ticks.ts';
import type { Page } from '../../page/page.ts';
import { PlaceLink } from '../../page/place_link.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { type ValueContext, valueLine } from '../../trace/values.ts';
import { FindField, KeepField } from './keep_field.tsx';
import { statementOf, VARIABLES } from './statement_link.tsx';
import { Fields } from './value.tsx';
import './point.css';

/** Names of fields, from `crate/formats/src/trace_db/details.rs`. */
const PREVIOUS = 'Previous at this statement';
const CHANGED = 'Changed since';
/** Variables shown at first. */
const FEW = 100;
/** Characters of a value. */
const MOST = 200;
/** Between a value and what is left of a buffer. */
const LEFT_OF = ' · ';

/** The fields of a point that {@link PointVariables} does not show. */
function besidesVariables(fields: readonly Field[]): readonly Field[] {
  return fields.filter(({ name }) => name !== VARIABLES && name !== PREVIOUS && name !== CHANGED);
}

/** A variable of a point. */
interface Variable {
  readonly name: string;
  readonly value: Value;
  readonly type: string;
  /** Bytes from a pointer to the end of its buffer. */
  readonly left: bigint | null;
  /** Identifies it among the variables of a point. */
  readonly key: string;
}

function variablesOf(fields: readonly Field[]): readonly Variable[] {
  const tree = fields.find(({ name }) => name === VARIABLES)?.value;
  if (tree?.t !== 'tree') return [];
  const times = new Map<string, number>();
  return tree.v.flatMap(({ name, value }) => {
    if (value.t !== 'tree') return [];
    const part = (of: string) => value.v.find((field) => field.name === of)?.value;
    const [own, type, left] = [part('Value'), part('Type'), part('Buffer size')];
    if (!own) return [];
    const word = type?.t === 'text' ? type.v : '';
    const time = times.get(`${name} ${word}`) ?? 0;
    times.set(`${name} ${word}`, time + 1);
    const size = left?.t === 'int' ? left.v : null;
    return [{ name, value: own, type: word, left: size, key: `${name} ${word} ${time}` }];
  });
}

/** The name that a companion gives to the statement of a point, or ''. */
function nameOf(fields: readonly Field[], inPlaceOf: (text: string) => string): string {
  const own = statementOf(fields);
  const shown = inPlaceOf(own);
  return shown === own ? '' : shown;
}

/** A point with the texts of its variables by their keys. */
interface Earlier {
  readonly x: Ticks;
  readonly texts: ReadonlyMap<string, string>;
}

interface Props {
  readonly open: OpenTrace;
  readonly page: Page;
  readonly details: Details;
  readonly context: ValueContext;
}

/** Bytes from a pointer to the end of its buffer. */
function Left({ bytes }: { bytes: bigint | null }) {
  return bytes === null ? null : <span class="muted point-more">{formatCount(bytes)} left</span>;
}

/** An earlier value, with what was left of the buffer below it. */
function Was({ text }: { text: string }) {
  const [value, left] = text.split(LEFT_OF);
  return (
    <>
      {value}
      {left !== undefined && <span class="muted point-more">{left}</span>}
    </>
  );
}

/** All that is known of a point. */
export function PointFields(props: Props) {
  return (
    <>
      <Fields fields={besidesVariables(props.details.fields)} context={props.context} />
      <PointVariables {...props} />
    </>
  );
}

/** The variables of a point, with what they were at the point before, and when execution was at the statement before. */
function PointVariables({ open, page, details, context }: Props) {
  const { trace, selection } = open;
  const point = useSignal<Earlier | null>(null);
  const visit = useSignal<Earlier | null>(null);
  const shown = useSignal(FEW);
  const previous = details.fields.find(({ name }) => name === PREVIOUS)?.value;
  const visited = previous?.t === 'ticks' ? ticks(previous.v) : null;
  const textOf = ({ value, left }: Variable) =>
    `${valueLine(value, context, MOST)}${left === null ? '' : `${LEFT_OF}${formatCount(left)} left`}`;
  useEffect(() => {
    let isCurrent = true;
    const read = async (x: Ticks): Promise<Earlier | null> => {
      const row = await trace.records.recordAt(x, null);
      const found = row && row.x === x ? await trace.recordDetails(row) : null;
      const variables = variablesOf(found?.details?.fields ?? []);
      return found?.details ? { x, texts: new Map(variables.map((it) => [it.key, textOf(it)])) } : null;
    };
    const ask = async () => {
      const before = details.start > 0n ? ticks(details.start - 1n) : null;
      const [last, visit_] = await Promise.all([
        before === null ? null : read(before),
        visited === null ? null : read(visited),
      ]);
      if (!isCurrent) return;
      point.value = last;
      visit.value = visit_;
    };
    void ask().catch(() => undefined);
    return () => {
      isCurrent = false;
    };
  }, [details]);
  const variables = variablesOf(details.fields);
  if (variables.length === 0) return null;
  const go = (x: Ticks) => {
    void trace.records.recordAt(x, null).then((row) => {
      if (row) selection.revealRecord(row);
    });
  };
  const columns = [
    {
      earlier: point.value,
      title: 'Last point',
      says: 'Where the previous point has a different value, or lacks the variable',
    },
    {
      earlier: visit.value,
      title: 'Last visit',
      says: 'Where the previous point at this statement has a different value',
    },
  ].filter(({ earlier }) => earlier !== null);
  const given = details.name < 0 ? nameOf(details.fields, trace.names.inPlaceOf) : '';
  return (
    <>
      {given !== '' && (
        <>
          <dt>Name</dt>
          <dd>
            <Copyable text={given}>{given}</Copyable>
          </dd>
        </>
      )}
      <dt class="wide">
        {VARIABLES}
        <span class="amount small">{formatCount(variables.length)}</span>
      </dt>
      <dd class="wide">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is within reach of the keyboard. */}
        <section class="point-box" tabIndex={0} aria-label="Variables">
          <table class="point-variables small">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Value</th>
                {columns.map(({ earlier, title, says }) => (
                  <th key={title} scope="col" title={says}>
                    <button
                      type="button"
                      class="plain link"
                      title={`Go to point ${formatCount(earlier!.x)}`}
                      onClick={() => go(earlier!.x)}
                    >
                      {title}
                    </button>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {variables.slice(0, shown.value).map((variable) => {
                const { name, type, key, value, left } = variable;
                const text = textOf(variable);
                const path = [VARIABLES, name, 'Value'];
                return (
                  <tr key={key}>
                    <th scope="row" title={`${name} : ${type}`}>
                      <PlaceLink open={open} page={page} place={{ to: 'variable', name, type }} title="All its values">
                        {name}
                      </PlaceLink>
                      <span class="muted point-more">{type}</span>
                    </th>
                    <td>
                      <Copyable text={valueLine(value, context, MOST)} mono>
                        {valueLine(value, context, MOST)}
                      </Copyable>
                      <KeepField path={path} value={value} />
                      <FindField path={path} value={value} />
                      <Left bytes={left} />
                    </td>
                    {columns.map(({ earlier, title }) => {
                      const was = earlier!.texts.get(key);
                      if (was === text) return <td key={title} />;
                      return (
                        <td key={title} class="point-changed" title={was}>
                          {was === undefined ? <span class="muted">none</span> : <Was text={was} />}
                        </td>
                      );
                    })}
                  </tr>
                );
              })}
            </tbody>
          </table>
        </section>
        {variables.length > shown.value && (
          <button
            type="button"
            class="plain link more"
            onClick={() => {
              shown.value += FEW;
            }}
          >
            … {formatCount(variables.length - shown.value)} more
          </button>
        )}
      </dd>
    </>
  );
}
