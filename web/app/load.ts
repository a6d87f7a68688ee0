/** Loads the view of a trace. */
export const loadTraceView = async () => (await import('./trace_view.tsx')).TraceView;

/** Loads it ahead, and finds out what draws. If that fails, it is tried again once there is a trace. */
export async function prepareTraceView(): Promise<void> {
  try {
    (await import('./trace_view.tsx')).backends.probe();
  } catch {
    // Nothing waits for it.
  }
}
