import { describe, expect, it } from 'vitest';
import { createQueryHistory, titleOf } from './query_history.ts';

function memory() {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, text: string) => void items.set(key, text),
  };
}

describe('queries that are remembered', () => {
  it('are in the storage, the latest first and each once', () => {
    const storage = memory();
    const first = createQueryHistory(() => storage, 'xray');
    for (const query of ['select 1', ' select 2\n', 'select 1', '']) first.add(query);
    first.toggle('select 2');
    const again = createQueryHistory(() => storage, 'xray');
    expect(again.recent.value).toEqual(['select 1', 'select 2']);
    expect(again.saved.value).toEqual(['select 2']);
    expect(createQueryHistory(() => storage, 'rvn').recent.value).toEqual([]);
    // What the other tab has done is not lost.
    again.add('select 3');
    first.toggle('select 2');
    expect([first.recent.value[0], first.saved.value]).toEqual(['select 3', []]);
    first.clear();
    expect(createQueryHistory(() => storage, 'xray').recent.value).toEqual([]);
  });
  it('are at most thirty, without very long ones', () => {
    const history = createQueryHistory(memory, 'xray');
    const storage = memory();
    const kept = createQueryHistory(() => storage, 'xray');
    for (let i = 0; i < 40; i += 1) kept.add(`select ${i}`);
    kept.add('x'.repeat(20_001));
    expect([kept.recent.value.length, kept.recent.value[0]]).toEqual([30, 'select 39']);
    expect(history.recent.value).toEqual([]);
  });
  it('last as long as the page without a storage, or if it holds something else', () => {
    const denied = createQueryHistory(() => {
      throw new Error('denied');
    }, 'xray');
    denied.add('select 1');
    denied.toggle('select 2');
    expect([denied.recent.value, denied.saved.value]).toEqual([['select 1'], ['select 2']]);
    const storage = memory();
    for (const text of ['7', '{"saved":[1,"a"],"recent":{}}']) {
      storage.items.set('unspool:queries:xray', text);
      const history = createQueryHistory(() => storage, 'xray');
      expect(history.recent.value).toEqual([]);
    }
    expect(createQueryHistory(() => storage, 'xray').saved.value).toEqual(['a']);
  });
  it('are called by their comment or their text', () => {
    expect(titleOf('-- Busy threads\nselect 1')).toBe('Busy threads');
    expect(titleOf('select\n   1')).toBe('select 1');
  });
});
