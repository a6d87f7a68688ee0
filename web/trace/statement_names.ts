import type { StatementColumns } from '../base/values_protocol.ts';
import type { Names } from './names.ts';

/** The name of a statement in the file. */
export function ownName(all: StatementColumns, number: number): string {
  return `statement ${statementName(all, number)}`;
}

/** The name of a statement: `7:12`, or its number. */
export function statementName(all: StatementColumns, number: number): string {
  if (!all.named[number]) return 'no statement';
  const file = all.file[number]!;
  return file < 0 ? `${all.place[number]}` : `${file}:${all.place[number]}`;
}

/** The name that a companion gives to a statement, with its line; '' without one. Subscribes. */
export function givenName(names: Pick<Names, 'inPlaceOf'>, all: StatementColumns, number: number): string {
  if (!all.named[number]) return '';
  const own = ownName(all, number);
  const shown = names.inPlaceOf(own);
  return shown === own ? '' : shown;
}
