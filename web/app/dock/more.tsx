import { useSignal } from '@preact/signals';
import { useMenu } from '../../parts/menu/request.ts';
import { anchorOf } from '../../parts/popover.tsx';

interface Props {
  /** What the menu lists: ids with their titles. */
  readonly items: readonly (readonly [id: string, title: string])[];
  readonly choose: (id: string) => void;
}

/** The menu of the panels that have no tab in sight. */
export function More({ items, choose }: Props) {
  const isOpen = useSignal(false);
  const show = useMenu();
  const toggle = ({ currentTarget }: MouseEvent) => {
    const button = currentTarget as HTMLElement;
    isOpen.value = show({
      label: 'More panels',
      items: items.map(([id, title]) => ({ id, title, run: () => choose(id) })),
      at: anchorOf(button, 0),
      byKey: true,
      button,
      onClose: () => {
        isOpen.value = false;
      },
    });
  };
  return (
    <button type="button" class="plain tab" aria-haspopup="menu" aria-expanded={isOpen.value} onClick={toggle}>
      More <span aria-hidden="true">▾</span>
    </button>
  );
}
