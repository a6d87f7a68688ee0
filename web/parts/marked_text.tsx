import { Fragment } from 'preact';
import './marked_text.css';

/** Text in which `*words*` are those of the page, and `` `words` `` are to be typed. */
export function MarkedText({ text }: { text: string }) {
  return (
    <>
      {text.split(/(\*[^*]+\*|`[^`]+`)/).map((part, i) => {
        const inner = part.slice(1, -1);
        if (/^\*.+\*$/.test(part)) return <b key={i}>{inner}</b>;
        if (/^`.+`$/.test(part)) return <code key={i}>{inner}</code>;
        return <Fragment key={i}>{part}</Fragment>;
      })}
    </>
  );
}
