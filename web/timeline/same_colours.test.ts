import { expect, it } from 'vitest';
import { createNames } from '../trace/names.ts';
import { takeColours } from './same_colours.ts';

it('gives a name the colour that it has in the other trace, and leaves those that the other does not have', () => {
  const [a, b] = [createNames(), createNames()];
  a.add(0, ['parse', 'store', 'load', 'flush'], null);
  b.add(0, ['new', 'flush', 'parse', 'load', 'store'], null);
  const own = b.colour[0];
  let times = 0;
  const count = () => {
    times += 1;
  };
  takeColours(b, a, count);
  expect(times).toBe(1);
  for (const name of a.text) expect(b.colour[b.text.indexOf(name)]).toBe(a.colour[a.text.indexOf(name)]);
  expect(b.colour[0]).toBe(own);
  takeColours(b, a, count);
  expect(times).toBe(1);
});
