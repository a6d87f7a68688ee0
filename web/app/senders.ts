/** A page that has sent a trace. */
export interface Sender {
  readonly source: Window;
  readonly origin: string;
}

const senders = new WeakMap<Blob, Sender>();

/**
 * Remembers who has sent a file. The page itself is not another page, and pages without an origin of their own (sandboxed, or from `file:`)
 * cannot be answered safely.
 */
export function noteSender(file: Blob, source: MessageEventSource | null, origin: string): void {
  if (!source || source === window || origin === 'null' || !('closed' in source)) return;
  senders.set(file, { source, origin });
}

/** Who has sent a file; null if the user opened it. */
export function senderOf(file: Blob): Sender | null {
  return senders.get(file) ?? null;
}
