import { anchorOf } from '../popover.tsx';
import { type MenuItem, useMenu } from './request.ts';

interface Props {
  /** What it saves, for a tip. */
  readonly title: string;
  readonly items: readonly MenuItem[];
}

/** A button with a menu of the files that something can be saved as. */
export function SaveMenu({ title, items }: Props) {
  const show = useMenu();
  return (
    <button
      type="button"
      aria-haspopup="menu"
      title={title}
      onClick={({ currentTarget, detail }) => {
        show({ label: 'Save', items, at: anchorOf(currentTarget, 2), byKey: detail === 0, button: currentTarget });
      }}
    >
      Save ▾
    </button>
  );
}
