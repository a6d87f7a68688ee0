/** Returns the text that this browser remembers under a key; null if there is none. Private windows may have no storage. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Returns the value that this browser remembers as JSON under a key; null if there is none, or if it is not JSON. */
export function recallValue(key: string): unknown {
  try {
    return JSON.parse(recall(key) ?? 'null');
  } catch {
    return null;
  }
}

/** Remembers a text under a key in this browser. Without storage nothing is remembered. */
export function remember(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // What was chosen lasts as long as the page.
  }
}
