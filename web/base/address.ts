/** The address that a text stands for, relative to `base`; null if it is not one. `URL.canParse` is too new: see `browserslist`. */
export function parseAddress(text: string, base: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
