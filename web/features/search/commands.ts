import { onTrace, openSearch } from '../../page/commands.ts';
import type { Command, Surface } from '../../page/page.ts';

const hasHits = ({ open }: Surface) => open.find.count.peek() > 0;
const stepping = { needs: hasHits, sheet: { group: 'Find', does: 'Select the next or previous hit' } };
const next = ({ open }: Surface) => void open.find.step(1);
const previous = ({ open }: Surface) => void open.find.step(-1);

/** The search, and the way from hit to hit. */
export const FIND_COMMANDS: readonly Command[] = [
  onTrace('find', 'Find', ['ctrl f', '/'], (_, page) => openSearch(page, 'all'), { sheet: { group: 'Find' } }),
  onTrace('find-next', 'Select the next hit', ['n', 'f3'], next, stepping),
  onTrace('find-previous', 'Select the previous hit', ['shift n', 'shift f3'], previous, stepping),
];
