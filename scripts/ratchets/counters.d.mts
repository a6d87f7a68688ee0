/** See counters.mjs. */
export interface Source {
  readonly file: string;
  readonly source: string;
}
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly count?: number;
}
export function isVague(name: string): boolean;
export function vagueNames(sources: readonly Source[]): Place[];
export function questions(sources: readonly Source[]): Place[];
export function assertions(sources: readonly Source[]): Place[];
export function longFunctions(sources: readonly Source[], folder?: string): Promise<Place[]>;
export function uncheckedScripts(sources: readonly Source[], checked: ReadonlySet<string>): Place[];
