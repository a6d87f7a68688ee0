import type { Details, Field } from '../../base/protocol.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { wantedStatement } from '../../trace/wanted_statement.ts';

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
export function StatementLink({ open, details }: { readonly open: OpenTrace; readonly details: Details }) {
  const own = isPoint(details.fields) ? statementOf(details.fields) : '';
  if (own === '') return null;
  return (
    <button
      type="button"
      class="plain link"
      title="List all points of the statement, with their values"
      onClick={() => {
        wantedStatement(open).value = own;
      }}
    >
      All its points
    </button>
  );
}
