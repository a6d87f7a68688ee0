import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => void vi.unstubAllGlobals());

/** The choice of a page that opens now, in a browser with this storage. */
async function opened(items: Map<string, string>) {
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, text: string) => void items.set(key, text),
  });
  vi.resetModules();
  return import('./short_names.ts');
}

it('short names are off at first, and remembered', async () => {
  const items = new Map<string, string>();
  const first = await opened(items);
  expect(first.wantsShortNames.peek()).toBe(false);
  first.chooseShortNames(true);
  expect(first.wantsShortNames.peek()).toBe(true);
  const second = await opened(items);
  expect(second.wantsShortNames.peek()).toBe(true);
  second.chooseShortNames(false);
  expect((await opened(items)).wantsShortNames.peek()).toBe(false);
});

it('without storage, the choice lasts as long as the page', async () => {
  vi.stubGlobal('localStorage', undefined);
  vi.resetModules();
  const { chooseShortNames, wantsShortNames } = await import('./short_names.ts');
  expect(wantsShortNames.peek()).toBe(false);
  chooseShortNames(true);
  expect(wantsShortNames.peek()).toBe(true);
});
