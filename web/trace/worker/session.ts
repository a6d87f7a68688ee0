// One trace, on the wasm side. All calls are synchronous; the worker's loop makes them.
export type { Session } from '../../worker/wasm/unspool_browser.js';

/** A result of {@link Session.step}: the session needs bytes. */
export const STEP_WANTS_BYTES = 0;
/** The pushed bytes hold further events. */
export const STEP_MORE = 1;
/** The whole file is read. */
export const STEP_DONE = 2;
/** Reading broke off; {@link Session.error} says why. */
export const STEP_BROKEN = 3;
