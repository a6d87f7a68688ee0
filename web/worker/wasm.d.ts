// The wasm glue is built, not kept; without it the types still check. The contract is in session.ts.
declare module '*/unspool_disassembler.js' {
  export function disassemble(isa: string, address: bigint, bytes: Uint8Array): string | undefined;
  export function starts(bits: number, address: bigint, code: Uint8Array): Uint32Array;
  // biome-ignore lint/style/noDefaultExport: wasm-bindgen's choice.
  export default function init(): Promise<unknown>;
}

declare module '*/unspool_browser.js' {
  export const Session: unknown;
  // biome-ignore lint/style/noDefaultExport: wasm-bindgen's choice.
  export default function init(): Promise<unknown>;
}
