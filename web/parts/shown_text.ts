import { Signal } from '@preact/signals';
import { type ComponentType, options } from 'preact';
import { visible } from '../base/texts.ts';

/** Attributes that are shown, or read to the user. */
const SHOWN = ['title', 'aria-label', 'aria-valuetext', 'placeholder', 'alt', 'label'];

/** A text as it is shown. Ends of lines and tabs have a place of their own in texts of several lines. */
export const withEscapes = (text: string) => visible(text, '\t\n\r');

/** The component of a signal among children. It writes into the document past Preact. */
const { type: TextOfSignal } = Signal.prototype as { type?: unknown };
/** A signal among children, as if the component read its value. */
const SignalText: ComponentType<{ data: Signal }> = ({ data }) => data.value;

/*
 * Names and texts come from files, and any component may show them. So what Preact makes a text of the document has escapes for
 * characters that have no shape, and components pass texts on as they are.
 */
const { vnode } = options;
options.vnode = (node) => {
  const to = node as { type: unknown; props: unknown };
  const { type, props } = to;
  if (typeof props === 'string') to.props = withEscapes(props);
  else if (type === TextOfSignal) to.type = SignalText;
  else if (typeof type === 'string') {
    const attributes = props as Record<string, unknown>;
    for (const name of SHOWN) {
      const given = attributes[name];
      const text: unknown = given instanceof Signal ? given.value : given;
      if (typeof text === 'string') attributes[name] = withEscapes(text);
    }
  }
  vnode?.(node);
};
