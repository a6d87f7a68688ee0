declare module 'virtual:about' {
  /** The version in package.json. */
  export const VERSION: string;
  /** The commit that the page was built from, and whether files have changed since; `unknown` outside of a clone. */
  export const COMMIT: string;
}
