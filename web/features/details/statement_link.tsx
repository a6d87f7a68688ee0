import type { Details, Field } from '../../base/protocol.ts';
import type { Page } from '../../page/page.ts';
import { PlaceLink } from '../../page/place_link.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';

/** The name of the field with the values of a point, from `crate/formats/src/trace_db/details.rs`. */
export const VARIABLES = 'Variables';

/** Whether fields are those of a point: the values of variables at a statement. */
export function isPoint(fields: readonly Field[]): boolean {
  return fields.some(({ name, value }) => name === VARIABLES && value.t === 'tree');
}

/** The name of the statement of a point in the file, or ''. */
export function statementOf(fields: readonly Field[]): string {
  const id = (of: string) => {
    const value = fields.find(({ name }) => name === of)?.value;
    return value?.t === 'id' ? value.v.toString() : null;
  };
  const [file, place] = [id('File'), id('Place in the syntax tree') ?? id('Statement')];
  return place === null ? '' : `statement ${file === null ? '' : `${file}:`}${place}`;
}

/** Leads from a point to the table of its statement. */
export function StatementLink({ open, page, details }: { open: OpenTrace; page: Page; details: Details }) {
  const own = isPoint(details.fields) ? statementOf(details.fields) : '';
  if (own === '') return null;
  const title = 'List all points of the statement, with their values';
  return (
    <PlaceLink open={open} page={page} place={{ to: 'statement', name: own }} title={title}>
      All its points
    </PlaceLink>
  );
}
