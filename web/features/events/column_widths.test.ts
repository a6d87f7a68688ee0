import { describe, expect, it } from 'vitest';
import type { RecordColumn } from '../../base/protocol.ts';
import { columnWidths, fits, fitted } from './column_widths.ts';

const column = (shows: RecordColumn['shows'], key = ''): RecordColumn => ({ label: key || shows, shows, key });

describe('the widths of columns', () => {
  it('follow most texts, within limits, and the widest column takes the rest', () => {
    const rows = Array.from({ length: 100 }, (_, i) => ['1', 'x'.repeat(20), i === 0 ? 'y'.repeat(300) : '', '']);
    const columns = [column('position', 'n'), column('name'), column('field', 'label of it'), column('thread', 't')];
    const { pixels, flexible } = columnWidths(columns, rows);
    expect(flexible).toBe(1);
    // The one long text does not count; its label does.
    expect(pixels).toEqual([55, 164, 99, 55]);
    const wide = columnWidths([column('name')], [['x'.repeat(300)]]);
    expect(wide).toEqual({ pixels: [544], flexible: 0 });
  });

  it('show short texts whole, also a rare one', () => {
    const rows = Array.from({ length: 64 }, (_, i) => [i === 0 ? 'function-tail-exit' : 'function-exit']);
    expect(columnWidths([column('field', 'kind')], rows).pixels).toEqual([150]);
  });

  it('give way where there is no room, the widest first', () => {
    expect(fitted([80, 500, 300], 880)).toEqual([80, 500, 300]);
    expect(fitted([80, 500, 300], 800)).toEqual([80, 420, 300]);
    expect(fitted([80, 500, 300], 480)).toEqual([80, 200, 200]);
    expect(fitted([80, 500, 300], 200)).toEqual([80, 150, 150]);
    expect(fitted([80, 500], Number.POSITIVE_INFINITY)).toEqual([80, 500]);
  });

  it('have room for the last position', () => {
    const columns = [column('position', 'n'), column('name')];
    expect(columnWidths(columns, [['1', 'main']], '6,122,843').pixels).toEqual([84, 55]);
  });

  it('are those of the labels without rows', () => {
    expect(columnWidths([column('name'), column('rest', 'Arguments')], []).pixels).toEqual([55, 84]);
  });

  it('tell which texts fit', () => {
    const { pixels } = columnWidths([column('name')], [['x'.repeat(20)]]);
    expect(fits('x'.repeat(20), pixels[0]!)).toBe(true);
    expect(fits('x'.repeat(21), pixels[0]!)).toBe(false);
  });
});
