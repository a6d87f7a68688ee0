import { type ReadonlySignal, signal } from '@preact/signals';

/** A sentence about the last action. */
export interface Notice {
  /** Counts notices: the same sentence again is another one. */
  readonly number: number;
  readonly sentence: string;
  /** It stays until the user dismisses it: something failed. Otherwise it only informs, and leaves by itself. */
  readonly stays: boolean;
}

/** The notice on the screen, one at a time. */
export interface Notices {
  readonly latest: ReadonlySignal<Notice | null>;
  /** Shows a sentence that leaves by itself. An empty one dismisses the notice. */
  tell(sentence: string): void;
  /** Shows a sentence about a failure, which stays. An empty one dismisses the notice. */
  warn(sentence: string): void;
  dismiss(): void;
}

/** No notice yet. */
export function createNotices(): Notices {
  const latest = signal<Notice | null>(null);
  let last = 0;
  const show = (sentence: string, stays: boolean) => {
    last += 1;
    latest.value = sentence === '' ? null : { number: last, sentence, stays };
  };
  return {
    latest,
    tell: (sentence) => show(sentence, false),
    warn: (sentence) => show(sentence, true),
    dismiss: () => {
      latest.value = null;
    },
  };
}
