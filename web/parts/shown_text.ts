import { Signal } from '@preact/signals';
import { type ComponentType, options } from 'preact';
import { visible } from '../base/texts.ts';

/** Attributes that are shown, or read to the user. */
const SHOWN = ['title', 'aria-label', 'aria-valuetext', 'placeholder', 'alt', 'label'];

/** Ends of lines and tabs have a place of their own in texts of several lines. */
const withEscapes = (text: string) => visible(text, '\t\n\r');

/** Texts that are shown with escapes, as they are: by the nodes of the components, then by those of the document. */
const truths = new WeakMap<object, string>();

/** The text of a node of the document without the escapes that it is shown with. */
export function trueText(node: Text): string {
  const text = truths.get(node);
  // Preact gives a node that is there another text.
  return text !== undefined && withEscapes(text) === node.data ? text : node.data;
}

/** The component of a signal among children. It writes into the document past Preact. */
const { type: TextOfSignal } = Signal.prototype as { type?: unknown };
/** A signal among children, as if the component read its value. */
const SignalText: ComponentType<{ data: Signal }> = ({ data }) => data.value;

/*
 * Names and texts come from files, and any component may show them. So what Preact makes a text of the document has escapes for
 * characters that have no shape, and components pass texts on as they are.
 */
const hooks = { ...options };
options.vnode = (node) => {
  const props: unknown = node.props;
  if (typeof props === 'string') {
    const text = withEscapes(props);
    if (text !== props) truths.set(Object.assign(node, { props: text }), props);
  } else if (typeof node.type === 'string') {
    const attributes = node.props as Record<string, unknown>;
    for (const name of SHOWN) {
      const text = attributes[name];
      const value: unknown = text instanceof Signal ? text.value : text;
      if (typeof value === 'string') attributes[name] = withEscapes(value);
    }
  } else if (node.type === TextOfSignal) Object.assign(node, { type: SignalText });
  hooks.vnode?.(node);
};
options.diffed = (node) => {
  const text = truths.get(node);
  // Signals use Preact's name for the node of the document, too.
  const { __e: element } = node as { __e?: Text };
  if (element && text !== undefined) truths.set(element, text);
  hooks.diffed?.(node);
};
