import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../app/formats.ts';
import { examplesOf } from './sql_examples.ts';

describe('examples of SQL', () => {
  it('are at least ten for each format, each with a title of its own', () => {
    const guide = readFileSync('docs/sql.md', 'utf8');
    for (const { id } of FORMATS) {
      const examples = [...examplesOf(guide, id, false).values()];
      expect(examples.length).toBe(2);
      const all = examples.flat();
      expect(all.length).toBeGreaterThanOrEqual(10);
      expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
      for (const { title, query } of all) {
        expect(title).toMatch(/^[A-Z][^\n]{4,110}$/);
        expect(query).toMatch(/^select [^`]+;$/);
      }
    }
  });
  it('begin with those of the format', () => {
    const guide = '# SQL\n\n## Any trace\n\nA:\n\n```sql\nselect 1;\n```\n\n## REVEN\n\nB:\n\n```sql\nselect 2;\n```\n';
    expect([...examplesOf(guide, 'rvn', false)]).toEqual([
      ['REVEN', [{ title: 'B', query: 'select 2;' }]],
      ['Any trace', [{ title: 'A', query: 'select 1;' }]],
    ]);
    expect([...examplesOf(guide, 'other', false).keys()]).toEqual(['Any trace']);
  });
  it('of two traces come before these while two are compared', () => {
    const guide = readFileSync('docs/sql.md', 'utf8');
    const headings = (isCompared: boolean) => [...examplesOf(guide, 'xray', isCompared).keys()];
    expect(headings(true)).toEqual(['Two traces', ...headings(false)]);
    const examples = examplesOf(guide, 'xray', true).get('Two traces')!;
    expect(examples.length).toBeGreaterThanOrEqual(4);
    for (const { title, query } of examples) {
      expect(title).toMatch(/^[A-Z][^\n]{4,110}$/);
      expect(query).toMatch(/^(?:select|with) [^`]+;$/);
      expect(query).toMatch(/\ba\.\w+[\s\S]*\bb\.\w+/);
    }
  });
});
