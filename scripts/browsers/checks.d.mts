/** What is tried in each browser, in the order of docs/browsers.md. */
export const CHECKS: readonly { readonly name: string; readonly about: string }[];
