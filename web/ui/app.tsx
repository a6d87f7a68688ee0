import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { createScope } from '../base/scope.ts';
import type { ThemeControl } from '../model/theme.ts';
import type { Workbench } from '../model/workbench.ts';
import { DropOverlay } from './drop.tsx';
import { Header } from './header.tsx';
import { KeysDialog } from './keys.tsx';
import { TraceView } from './trace_view.tsx';
import { Welcome } from './welcome.tsx';

/** How many traces were opened: makes each one's view a new one. */
const generation = new WeakMap<object, number>();
let generations = 0;
const keysShown = signal(false);

/** The whole page. */
export function App({ workbench, theme }: { workbench: Workbench; theme: ThemeControl }) {
  const input = useRef<HTMLInputElement>(null);
  const choose = () => input.current?.click();
  const bench = workbench.bench.value;

  useEffect(() => {
    const scope = createScope();
    scope.listen<KeyboardEvent>(window, 'keydown', (event) => {
      const typing = event.target instanceof HTMLInputElement;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'o') {
        event.preventDefault();
        choose();
      } else if (event.key === '?' && !typing) {
        keysShown.value = !keysShown.value;
      }
    });
    return scope.dispose;
  }, []);

  return (
    <div class="page">
      <Header workbench={workbench} theme={theme} choose={choose} showKeys={() => (keysShown.value = true)} />
      <input
        ref={input}
        id="file-input"
        class="unseen"
        type="file"
        multiple
        tabIndex={-1}
        aria-label="Trace file"
        onChange={(event) => {
          workbench.openFiles([...(event.currentTarget.files ?? [])]);
          // The same file can then be chosen again.
          event.currentTarget.value = '';
        }}
      />
      {bench.at === 'open' && bench.open.trace.status.value.at !== 'failed' ? (
        <TraceView key={generationOf(bench.open)} open={bench.open} theme={theme} />
      ) : (
        <Welcome workbench={workbench} choose={choose} />
      )}
      <Notice workbench={workbench} />
      <DropOverlay onFiles={workbench.openFiles} />
      {keysShown.value && <KeysDialog close={() => (keysShown.value = false)} />}
    </div>
  );
}

function Notice({ workbench }: { workbench: Workbench }) {
  const text = workbench.notice.value;
  return (
    <div class="notice" role="status">
      {text !== '' && (
        <p>
          {text}
          <button type="button" class="plain" aria-label="Dismiss" onClick={workbench.dismissNotice}>
            ×
          </button>
        </p>
      )}
    </div>
  );
}

function generationOf(open: object): number {
  let own = generation.get(open);
  if (own === undefined) {
    generations += 1;
    own = generations;
    generation.set(open, own);
  }
  return own;
}
