import type { ComponentChildren } from 'preact';
import './segments.css';

interface SegmentsProps<T extends string> {
  readonly label: string;
  readonly options: readonly (readonly [value: T, title: ComponentChildren])[];
  readonly value: T;
  readonly choose: (value: T) => void;
}

/** A choice of which all options are in sight. Arrow keys choose the next and the previous one. */
export function Segments<T extends string>({ label, options, value, choose }: SegmentsProps<T>) {
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const at = options.findIndex(([option]) => option === value);
    const box = event.currentTarget as HTMLElement;
    const next = (at + by + options.length) % options.length;
    choose(options[next]![0]);
    box.querySelectorAll<HTMLElement>('[role=radio]')[next]?.focus();
  };
  return (
    <div
      class={options.length === 5 ? 'segments rigid segments-five' : 'segments rigid'}
      role="radiogroup"
      aria-label={label}
      onKeyDown={onKey}
    >
      {options.map(([option, title]) => (
        // biome-ignore lint/a11y/useSemanticElements: a radio input cannot be styled as a segment with a border.
        <button
          type="button"
          key={option}
          class="segment toggle"
          role="radio"
          aria-checked={option === value}
          tabIndex={option === value ? 0 : -1}
          onClick={() => choose(option)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
