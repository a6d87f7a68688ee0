/** The rows of the table in a document, each a list of cells, with that of names and versions first. */
export function tableOf(text: string): string[][];
/** In the cell of what works. */
export const WORKS: 'yes';
