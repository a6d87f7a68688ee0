import { expect, it } from 'vitest';
import { mount } from '../../parts/dom.fixture.ts';
import { createNames } from '../../trace/names.ts';
import { FoldText } from './folding.tsx';

const plain = (text: string | null | undefined) => text?.replace(/\u00a0/g, ' ');

it('a folded call has the name that the table shows, and the full one in its tooltip', () => {
  const names = createNames();
  names.add(0, ['ns::f(int)'], null);
  names.shorten(Uint32Array.of(0), ['f']);
  const call = { from: 3, to: 10, name: 0 };
  const text = mount(<FoldText names={names} fold={{ from: 3, to: 10, loop: null, call }} count={null} />);
  expect(plain(text.textContent)).toBe('f · 7 steps');
  expect(text.querySelector('span')?.title).toBe('ns::f(int)');
});

it('a folded loop has the number of its iterations', () => {
  const fold = { from: 0, to: 12, loop: 0, call: null };
  const text = mount(<FoldText names={createNames()} fold={fold} count={5} />);
  expect(plain(text.textContent)).toBe('× 5 · 3 more iterations · 12 steps');
});
