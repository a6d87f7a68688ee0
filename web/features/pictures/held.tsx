import type { Replay } from './replay.ts';

/** Makes the pictures that are held back. */
export function Held({ replay }: { replay: Replay }) {
  const make = () => {
    replay.insist();
    void replay.offer();
  };
  return (
    <p class="muted pictures-held">
      <button type="button" onClick={make}>
        Show pictures
      </button>{' '}
      {replay.held.value}
    </p>
  );
}
