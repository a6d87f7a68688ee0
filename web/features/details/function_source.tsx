import { useEffect, useState } from 'preact/hooks';
import type { Source } from '../../base/companions.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { functionOf } from '../../trace/names.ts';
import type { Trace } from '../../trace/trace.ts';

/** Where the function of a call is in the source, by the binary that names it. */
export function FunctionSource({ trace, name }: { trace: Trace; name: number }) {
  const [source, setSource] = useState<Source | null>(null);
  const func = functionOf(trace.names, name);
  // Each of them may say it.
  const binaries = trace.companions.value.filter(({ kind, attachment }) => kind === 'binary' && attachment).length;
  useEffect(() => {
    let current = true;
    setSource(null);
    if (func !== null && binaries > 0) {
      void trace.source(func).then((found) => {
        if (current) setSource(found);
      });
    }
    return () => {
      current = false;
    };
  }, [trace, func, binaries]);
  if (!source) return null;
  const { file, line, inlined } = source;
  const place = line === null ? file : `${file}:${line}`;
  return (
    <>
      {place !== '' && (
        <>
          <dt>Source</dt>
          <dd>
            <Copyable text={place}>{place}</Copyable>
          </dd>
        </>
      )}
      {inlined.length > 0 && (
        <>
          <dt title="Functions that the compiler inlined here. They have no calls of their own.">Inlined</dt>
          <dd>
            {inlined.map((text) => (
              <div key={text}>
                <Copyable text={text}>{text}</Copyable>
              </div>
            ))}
          </dd>
        </>
      )}
    </>
  );
}
