import { onTrace } from '../../page/commands.ts';
import type { Command, Surface } from '../../page/page.ts';

/** Id of the field of the search. */
export const FIND_ID = 'find-field';

const hasHits = ({ open }: Surface) => open.find.count.peek() > 0;
const stepping = { needs: hasHits, sheet: { group: 'Find', does: 'Select the next or previous hit' } };

/** The search, and the way from hit to hit. */
export const FIND_COMMANDS: readonly Command[] = [
  onTrace('find', 'Find', ['ctrl f', '/'], openFind, { sheet: { group: 'Find' } }),
  onTrace('find-next', 'Select the next hit', ['f3'], ({ open }) => void open.find.step(1), stepping),
  onTrace('find-previous', 'Select the previous hit', ['shift f3'], ({ open }) => void open.find.step(-1), stepping),
];

/** Opens the search, and moves the focus to its field. */
function openFind({ open }: Surface): void {
  open.find.shown.value = true;
  // Its field may have to be made first.
  requestAnimationFrame(() => {
    const field = document.getElementById(FIND_ID);
    if (field instanceof HTMLInputElement) field.select();
  });
}
