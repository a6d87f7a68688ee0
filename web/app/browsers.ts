/** The browsers that the page needs, as in `browserslist` of package.json. A test compares the two. */
export const NEEDED = 'Unspool needs Chrome 111, Firefox 114, Safari 16.4 or later.';

/**
 * Whether the browser is too old for the page: of what it needs, Chrome got `color-mix` last, and Safari `OffscreenCanvas`. Firefox 113
 * passes as well: it only lacks module workers, which cannot be detected without starting one.
 */
export function isTooOld(): boolean {
  return !CSS.supports('color', 'color-mix(in srgb, red, red)') || !('OffscreenCanvas' in window);
}
