import { describe, expect, it } from 'vitest';
import { refusalOf, sqlText } from './sql.ts';

describe('a statement', () => {
  it('may read', () => {
    for (const sql of [
      'select 1',
      ' SELECT * from blocks; ',
      '-- all\nwith x as (select 1) select * from x',
      'select \';\' || "a;b" /* ; */ from [odd;name]',
      'values (1), (2)',
      'explain query plan select 1',
      'pragma table_info(blocks)',
      'pragma page_size;',
    ]) {
      expect(refusalOf(sql), sql).toBeNull();
    }
  });

  it('may do nothing else', () => {
    for (const sql of [
      '',
      ' ; ',
      '-- nothing',
      'delete from blocks',
      'select 1; drop table blocks',
      "attach 'x' as y",
      'pragma query_only=0',
      'pragma writable_schema',
      'vacuum',
    ]) {
      expect(refusalOf(sql), sql).not.toBeNull();
    }
  });

  it('is told from a misspelt one', () => {
    expect(refusalOf('delete from blocks')).toBe('The file is read-only: delete would change it.');
    expect(refusalOf('selct 1')).toBe('A query begins with select, with, values, explain or pragma, not with selct.');
  });

  it('has values as text for the clipboard', () => {
    expect([null, 2n ** 63n, 1.5, 'a', new Uint8Array([0, 255])].map(sqlText)).toEqual([
      'NULL',
      '9223372036854775808',
      '1.5',
      'a',
      '00 ff',
    ]);
  });
});
