/** Loads the view of a trace, and the field of the search along with it: what is typed as soon as there is a trace reaches it. */
export const loadTraceView = async () =>
  (await Promise.all([import('./trace_view.tsx'), loadSearchBox()]))[0].TraceView;

/** Loads the field of the search. */
export const loadSearchBox = async () => (await import('./search/search_box.tsx')).SearchBox;

/** Loads the view ahead, and finds out what draws. If that fails, it is tried again once there is a trace. */
export async function prepareTraceView(): Promise<void> {
  try {
    const [{ backends }] = await Promise.all([import('./trace_view.tsx'), loadSearchBox()]);
    backends.probe();
  } catch {
    // Nothing waits for it.
  }
}
