import type { Survey } from '../../model/survey.ts';
import './surveying.css';

/** How far the survey is, until it is done. */
export function Surveying({ survey }: { survey: Survey }) {
  const progress = survey.progress.value;
  if (survey.error.value !== '' || (progress && progress.done === progress.of)) return null;
  const share = progress ? progress.done / Math.max(1, progress.of) : 0;
  const isStopped = survey.isStopped.value;
  return (
    <div class="surveying">
      <progress max={1} value={share} aria-label="Reading calls" />
      <span class="muted">
        {isStopped ? 'Stopped at' : 'Reading calls…'} {Math.floor(100 * share)} %
      </span>
      <button type="button" onClick={isStopped ? survey.goOn : survey.stop}>
        {isStopped ? 'Go on' : 'Stop'}
      </button>
    </div>
  );
}
