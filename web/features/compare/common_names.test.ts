import { expect, it } from 'vitest';
import { createCommonNames } from './common_names.ts';

it('gives names of both traces that read the same one number', () => {
  const of = (texts: readonly string[]) => ({ of: (id: number) => texts[id] ?? '' });
  const names = createCommonNames(of(['main', 'f']), of(['f', 'g', 'main']));
  const main = names.ofA(0);
  expect([names.ofB(2), names.ofA(1) === names.ofB(0), names.of(main)]).toEqual([main, true, 'main']);
  const g = names.ofB(1);
  expect([names.idInA(main), names.idInB(main), names.idInA(g), names.idInB(g)]).toEqual([0, 2, -1, 1]);
});
