// The wasm glue is built, not kept; without it the types still check. The contract is in session.ts.
declare module '*/unspool_browser.js' {
  export const Session: unknown;
  export default function init(): Promise<unknown>;
}
