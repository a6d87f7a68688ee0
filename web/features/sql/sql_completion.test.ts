import { describe, expect, it } from 'vitest';
import { countedReads } from '../../base/portions.fixture.ts';
import { sqlCompletions } from './sql_completion.ts';
import { schemaOf, TABLES } from './sql_tables.ts';

const known = {
  schema: schemaOf(false, { 'rvn.execution': ['transition_id', 'block_id'], 'rvn.blocks': ['pc', 'mode'] }),
  names: [['main', 'malloc', "it's"], ['do_malloc']],
};
/** The texts offered where `|` stands, and the text that one of them replaces. */
const offered = (marked: string) => {
  const caret = marked.indexOf('|');
  const text = marked.replace('|', '');
  const { from, to, items } = sqlCompletions(text, caret, known);
  return { texts: items.map((it) => it.text), replaced: text.slice(from, to) };
};

describe('completions of SQL', () => {
  it('read no more names of two traces than they need', () => {
    const { list, reads } = countedReads(Array.from({ length: 1000 }, (_, i) => `f${i}`));
    const text = "select 'f";
    expect(sqlCompletions(text, text.length, { ...known, names: [list, list] }).items).toHaveLength(12);
    expect(reads()).toBeLessThan(50);
  });
  it('are tables where a table is expected', () => {
    expect(offered('select * from |').texts).toEqual([...Object.keys(TABLES), 'rvn.execution', 'rvn.blocks']);
    expect(offered('select * from slices join nam|').texts).toEqual([
      'named_slices',
      'named_instants',
      'named_counters',
      'names',
    ]);
  });
  it('are columns of the tables that the query reads, also before it names them', () => {
    expect(offered('select st| from named_slices')).toEqual({ texts: ['start', 'stddev('], replaced: 'st' });
    expect(offered('select pc, mo| from rvn.blocks')).toEqual({ texts: ['mode'], replaced: 'mo' });
    // No clock, no seconds.
    expect(offered('select start_| from named_slices').texts).toEqual([]);
  });
  it('follow an alias, a table or a schema with a dot', () => {
    expect(offered('select s.na| from named_slices s')).toEqual({ texts: ['name', 'name_id'], replaced: 'na' });
    expect(offered('select b.| from rvn.execution e join rvn.blocks as b on').texts).toEqual(['pc', 'mode']);
    expect(offered('select * from rvn.|').texts).toEqual(['execution', 'blocks']);
    expect(offered('select unknown.| from slices').texts).toEqual([]);
  });
  it('know the tables of two traces by their schemas', () => {
    const both = { ...known, schema: schemaOf(false, {}, true) };
    const at = (text: string) => sqlCompletions(text, text.length, both).items.map((it) => it.text);
    expect(at('select * from ')).toEqual([...Object.keys(TABLES), 'a.', 'b.']);
    expect(at('select * from b.nam')).toEqual(['named_slices', 'named_instants', 'named_counters', 'names']);
    expect(at('select * from a.slices x join b.names y on y.k')).toEqual(['kind', 'key']);
  });
  it('are names of the trace in a text', () => {
    expect(offered("select * from names where name = 'mal|")).toEqual({
      texts: ["malloc'", "do_malloc'"],
      replaced: 'mal',
    });
    expect(offered("select * from names where name = 'mal|'").texts).toEqual(['malloc', 'do_malloc']);
    expect(offered("where name = 'it''|").texts).toEqual(["it''s'"]);
    // After a text that is closed.
    expect(offered("where name = 'it''s' and li|").texts).toEqual(['limit', 'like']);
  });
  it('are nothing in comments, numbers and after a space', () => {
    expect(offered('select 1 -- sel|').texts).toEqual([]);
    expect(offered('select 12|').texts).toEqual([]);
    expect(offered('select |').texts).toEqual([]);
    expect(offered("-- it's\nsel|").texts).toEqual(['select']);
  });
});
