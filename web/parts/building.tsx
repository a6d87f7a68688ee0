import './building.css';

interface Props {
  /** How much of the calls was read, 0 to 1. */
  readonly share: number;
  readonly isStopped: boolean;
  readonly stop: () => void;
  readonly goOn: () => void;
}

/** How far the reading of all calls is, with a way to stop it. */
export function Building({ share, isStopped, stop, goOn }: Props) {
  return (
    <div class="building row">
      <progress max={1} value={share} aria-label="Reading calls" />
      <span class="muted">
        {isStopped ? 'Stopped at' : 'Reading calls…'} {Math.floor(100 * share)} %
      </span>
      <button type="button" onClick={isStopped ? goOn : stop}>
        {isStopped ? 'Go on' : 'Stop'}
      </button>
    </div>
  );
}
