/* Why something is not as in the trace. */

import type { Cut } from '../gl/views.ts';
import type { Coverage, Refusal } from '../protocol.ts';

/** What a shader is listed for whose loops were stopped. */
export function stoppedLoop({ call, iterations }: Cut): Refusal {
  return { call, what: `a loop of its shader was stopped after ${iterations} iterations`, isMissing: false };
}

/** Why a draw was not executed, in a sentence. */
export function leftOut(call: number, { calls, why, reasons }: Coverage, refusals: readonly Refusal[]): string {
  const reason = reasons[why[calls.indexOf(call)] ?? -1]?.reason;
  return `The replay leaves this draw out: ${reason ?? refusals.find((it) => it.call === call)?.what ?? 'it draws nothing'}.`;
}
