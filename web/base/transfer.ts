/**
 * The buffers of all typed arrays in a message, each once: the transfer list of `postMessage`. The arrays must own
 * their memory; a view of wasm memory cannot be transferred.
 */
export function transferables(message: unknown): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  // Values of details nest as deep as a trace likes, which a recursion would not survive.
  const waiting: unknown[] = [message];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (ArrayBuffer.isView(value)) {
      if (value.buffer instanceof ArrayBuffer) found.add(value.buffer);
    } else {
      for (const part of Array.isArray(value) ? value : Object.values(value)) {
        if (typeof part === 'object' && part !== null) waiting.push(part);
      }
    }
  }
  return [...found];
}
