/** A part of a line of a document. */
export type Inline =
  | string
  | { readonly code: string }
  | { readonly bold: readonly Inline[] }
  | { readonly italic: readonly Inline[] }
  /** `to` is an address, or a page of the documentation and a heading in it: `names#lists-of-names`. */
  | { readonly link: readonly Inline[]; readonly to: string };

/** A part of a document. */
export type Block =
  | { readonly heading: readonly Inline[]; readonly level: number; readonly id: string }
  | { readonly text: readonly Inline[] }
  | { readonly code: string }
  | { readonly items: readonly (readonly Block[])[]; readonly isOrdered: boolean }
  | { readonly head: readonly (readonly Inline[])[]; readonly rows: readonly (readonly (readonly Inline[])[])[] }
  | { readonly image: string; readonly says: string };

/** A page of the documentation that is there on request. */
export interface PageOfDocs {
  /** Its file in `docs`, without the ending: `formats/xray`. */
  readonly path: string;
  readonly title: string;
  readonly load: () => Promise<{ readonly BLOCKS: readonly Block[] }>;
}

/** The words of a line, without what marks them. */
export function plainText(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      if ('code' in part) return part.code;
      return plainText('bold' in part ? part.bold : 'italic' in part ? part.italic : part.link);
    })
    .join('');
}
