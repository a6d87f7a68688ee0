import { Popover, PopoverButton } from '../../parts/popover.tsx';
import { CollapseSwitch, PathFilter } from '../../timeline/widgets/path_changes.tsx';
import type { PathActions } from '../../trace/path_actions.ts';

/** What changes all call paths of both: the filter, and the switch that collapses recursion. */
export function PathsButton({ paths }: { readonly paths: PathActions }) {
  return (
    <PopoverButton
      place="difference-look"
      look="plain link"
      title="Filter call paths, or collapse recursion"
      content={() => (
        <Popover class="difference-looks" label="Call paths of both">
          <PathFilter paths={paths} />
          <CollapseSwitch paths={paths} />
        </Popover>
      )}
    >
      Paths…
    </PopoverButton>
  );
}
