/** A query that means something in a trace. */
export interface Example {
  readonly title: string;
  readonly query: string;
}

/** The headings of docs/sql.md, by format. */
const HEADINGS: Readonly<Record<string, string>> = {
  xray: 'LLVM XRay',
  apitrace: 'apitrace',
  frames: 'BAP frames',
  rvn: 'REVEN',
  'trace-db': 'trace-db',
};
const ANY = 'Any trace';
const BOTH = 'Two traces';

/**
 * The queries of docs/sql.md, whose text `guide` is, about any trace and about a format, by heading; and about two traces, if two are
 * compared. Tests run them all, in the page and natively.
 */
export function examplesOf(
  guide: string,
  format: string,
  isCompared: boolean,
): ReadonlyMap<string, readonly Example[]> {
  const wanted = [...(isCompared ? [BOTH] : []), HEADINGS[format], ANY];
  const found = new Map<string, readonly Example[]>();
  for (const part of guide.split('\n## ').slice(1)) {
    const heading = part.slice(0, part.indexOf('\n'));
    if (!wanted.includes(heading)) continue;
    const queries = [...part.matchAll(/\n([^\n]+)\n\n```sql\n([^`]+?)\n```/g)];
    found.set(
      heading,
      // A sentence introduces each query. What comes before it on the line explains the tables.
      queries.map(([, sentence, query]) => ({ title: sentence!.replace(/:$/, ''), query: query! })),
    );
  }
  // Those of the format come first.
  return new Map([...found].sort(([a], [b]) => wanted.indexOf(a) - wanted.indexOf(b)));
}
