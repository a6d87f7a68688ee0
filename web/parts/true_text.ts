import { options } from 'preact';
import { withEscapes } from './shown_text.ts';

/** Texts that are shown with escapes, as they are: by the nodes of the components, then by those of the document. */
const truths = new WeakMap<object, string>();

/** The text of a node of the document without the escapes that it is shown with. */
export function trueText(node: Text): string {
  const text = truths.get(node);
  // Preact gives a node that is there another text.
  return text !== undefined && withEscapes(text) === node.data ? text : node.data;
}

const hooks = { ...options };
options.vnode = (node) => {
  const props: unknown = node.props;
  hooks.vnode?.(node);
  if (typeof props === 'string' && (node.props as unknown) !== props) truths.set(node, props);
};
options.diffed = (node) => {
  const text = truths.get(node);
  // Signals use Preact's name for the node of the document, too.
  const { __e: element } = node as { __e?: Text };
  if (element && text !== undefined) truths.set(element, text);
  hooks.diffed?.(node);
};
