/** See licenses.mjs. */
export interface Licensed {
  readonly name: string;
  readonly from: string;
  readonly license: string;
  readonly authors?: readonly string[];
  readonly folder?: string;
  readonly text?: string;
}
export function cratesOfPage(): readonly Licensed[];
export function packagesOf(ids: Iterable<string>): readonly Licensed[];
export function othersOfPage(): readonly Licensed[];
export function licenseText(things: readonly Licensed[], what: string): string;
export function isAllowed(license: string, allowed: readonly string[]): boolean;
