import { useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

interface LazyProps<Props extends object> {
  readonly load: () => Promise<ComponentType<Props>>;
  readonly props: Props;
  /** What is shown until then. */
  readonly instead?: ComponentChildren;
  /** Called if the code cannot be loaded. If left out, it can be tried again in place of the component. */
  readonly failed?: () => void;
}

/** A component whose code is loaded when it is first shown. */
export function Lazy<Props extends object>({ load, props, failed, instead }: LazyProps<Props>) {
  const loaded = useSignal<{ readonly View: ComponentType<Props> } | null>(null);
  const hasFailed = useSignal(false);
  const start = () => {
    hasFailed.value = false;
    load().then(
      (View) => {
        loaded.value = { View };
      },
      failed ??
        (() => {
          hasFailed.value = true;
        }),
    );
  };
  // Before the next frame, so that code which is there already is shown in it.
  useLayoutEffect(start, []);
  const View = loaded.value?.View;
  if (View) return <View {...props} />;
  if (!hasFailed.value) return instead ?? null;
  return (
    <p class="muted" role="alert">
      This part of the page could not be loaded.{' '}
      <button type="button" onClick={start}>
        Try again
      </button>
    </p>
  );
}
