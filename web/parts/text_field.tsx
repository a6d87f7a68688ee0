import { useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  readonly text: string;
  /** The thing that the text is of: for another one, what was typed is forgotten. */
  readonly of: string | number;
  readonly id?: string;
  readonly name?: string;
  readonly class?: string;
  readonly label?: string;
  readonly placeholder: string;
  readonly size?: number;
  readonly isWrong?: boolean;
  readonly change?: (text: string) => void;
}

/** A field with a text that the user may change. It follows the text, and stays the same element: Enter leaves the focus there. */
export function TextField({ text, of: subject, change, label, isWrong, ...attributes }: Props) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (field.current) field.current.value = text;
  }, [text, subject]);
  return (
    <input
      {...attributes}
      ref={field}
      aria-label={label}
      aria-invalid={isWrong}
      spellcheck={false}
      autocomplete="off"
      onChange={({ currentTarget }) => change?.(currentTarget.value)}
    />
  );
}
