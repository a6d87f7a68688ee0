import type { Cell, StepAccess } from '../../base/steps_protocol.ts';

type Access = Pick<StepAccess, 'written' | 'register' | 'address'> & { readonly value: { readonly length: number } };

/** The step before which a cell has the value that State shows at `step`: the next one, if that step writes it. */
export function originStep(step: number, accesses: readonly Access[], cell: Cell): number {
  const isWritten = accesses.some((access) => {
    const { register, address, value } = access;
    if (!access.written) return false;
    if (cell.what === 'register') return register === cell.name;
    const [end, cellEnd] = [address + BigInt(value.length), cell.address + BigInt(cell.len)];
    return register === null && address < cellEnd && cell.address < end;
  });
  return isWritten ? step + 1 : step;
}
