import type { PageHistory } from '../../timeline/visits.ts';

/**
 * The places of the second timeline. The browser's history has those of the first: going back in it does not lead from one timeline to the
 * other.
 */
export function placesOfSecond(): PageHistory {
  let at = 0;
  let show: ((entry: number) => void) | null = null;
  return {
    begin: (next) => {
      at = 0;
      show = next;
      return () => {
        if (show === next) show = null;
      };
    },
    push: (entry) => {
      at = entry;
    },
    go: (by) => {
      at += by;
      show?.(at);
    },
  };
}
