import type { TraceInfo } from '../base/protocol.ts';

/** Whether a trace consists of steps to walk through: those of a program's instructions. */
export function canWalk(info: Pick<TraceInfo, 'offers'> | null): boolean {
  return info?.offers.some((offer) => offer === 'state' || offer === 'disassembly') ?? false;
}
