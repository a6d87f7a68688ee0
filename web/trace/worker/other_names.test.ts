import { expect, it } from 'vitest';
import { PORTION } from '../../base/portions.ts';
import { joinTexts, textsOf } from '../../base/texts.ts';
import { inMessages } from './other_names.ts';

it('cross in portions, of which the last one says so', async () => {
  const count = PORTION + 2;
  const ids = Uint32Array.from({ length: count }, (_, i) => 2 * i);
  const names = await joinTexts(count, (i) => `f${i}`);
  const keys = await joinTexts(count, (i) => `#${i}`);
  const messages = [...inMessages({ ids, names, keys })];
  expect(messages.map(({ goesOn }) => goesOn)).toEqual([true, false]);
  expect(messages.flatMap((message) => [...message.ids])).toEqual([...ids]);
  expect(messages.flatMap((message) => textsOf(message.names))).toEqual(textsOf(names));
  expect(messages[1]?.keys && textsOf(messages[1].keys)).toEqual([`#${PORTION}`, `#${PORTION + 1}`]);
  expect([...inMessages({ ids: new Uint32Array(), names: await joinTexts(0, String) })]).toHaveLength(1);
});
