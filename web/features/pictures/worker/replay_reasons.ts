/* Why something is not as in the trace. */

import type { Cut } from '../gl/views.ts';
import type { Coverage, Refusal } from '../protocol.ts';

/** What a shader is listed for whose loops were stopped. */
export function stoppedLoop({ call, iterations }: Cut): Refusal {
  return { call, what: `a loop of its shader was stopped after ${iterations} iterations`, isMissing: false };
}

/** Why a draw was not executed, in a sentence. `about` follows what it is called. */
export function leftOut(
  call: number,
  { calls, why, reasons }: Coverage,
  refusals: readonly Refusal[],
  what = 'this draw',
  about = '',
): string {
  const reason = reasons[why[calls.indexOf(call)] ?? -1]?.reason;
  return `The replay leaves ${what} out${about}: ${reason ?? refusals.find((it) => it.call === call)?.what ?? 'it draws nothing'}.`;
}

/** Why an object does not hold what it holds in the trace, in a sentence. `problem`: why draws with it are left out. */
export function notReplayed(problem: string): string {
  return `The replay does not have its contents: ${problem.replace(/^it reads/, 'it holds')}.`;
}
