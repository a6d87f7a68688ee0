import type { TraceError } from '../base/protocol.ts';

/** The worker did not stop by itself when it was asked to. */
export const STOPPED: TraceError = {
  kind: 'unreadable',
  sentence: 'Reading was stopped. The reader did not respond and was terminated.',
  offset: null,
};

/** The worker failed in a way that should not happen. */
export function crash(message: string): TraceError {
  return {
    kind: 'crashed',
    sentence: `The reader of this file stopped unexpectedly (${message || 'no reason given'}). The page itself is fine.`,
    offset: null,
  };
}
