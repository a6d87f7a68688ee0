import { Building } from '../../parts/building.tsx';
import { extentOf, type Survey } from '../../trace/survey.ts';

/** How far the survey is, until it is done. */
export function Surveying({ survey }: { survey: Survey }) {
  const progress = survey.progress.value;
  if (survey.error.value !== '' || extentOf(survey) === 'all') return null;
  const share = progress ? progress.done / Math.max(1, progress.of) : 0;
  return <Building share={share} isStopped={survey.isStopped.value} stop={survey.stop} goOn={survey.goOn} />;
}
