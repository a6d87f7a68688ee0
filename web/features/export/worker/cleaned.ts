import { CLEAN_CLASSES, type Cleaned } from '../../../base/export_protocol.ts';

/** Bytes of the file that a preview looks at: enough for examples, and soon there. */
export const LOOKED_AT = 32 << 20;

/** What a writer has found, for the page. `examples` has a class, a text and what took its place, over and over. */
export function cleanedOf(writer: { found(): Float64Array; examples(): unknown[] }): Cleaned {
  const parts = writer.examples();
  const examples = [];
  for (let i = 0; i + 2 < parts.length; i += 3) {
    const of = CLEAN_CLASSES[Number(parts[i])] ?? 'texts';
    examples.push({ of, before: String(parts[i + 1]), after: String(parts[i + 2]) });
  }
  return { found: [...writer.found()], examples };
}
