declare module 'virtual:documentation' {
  /** All pages, by path. */
  export const PAGES: readonly import('./document.ts').PageOfDocs[];
}
