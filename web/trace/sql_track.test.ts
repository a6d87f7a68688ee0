import { describe, expect, it } from 'vitest';
import { rowsAsTrack, trackColumns } from './sql_track.ts';

const extent = { from: 100n, to: 200n };

describe('rows as a track', () => {
  it('are slices with start and dur, values with a number, or else points', () => {
    expect(trackColumns(['name', 'Start', 'DUR'])).toEqual({ shape: 'slices', at: 1, value: 2 });
    expect(trackColumns(['time', 'name', 'value'])).toEqual({ shape: 'values', at: 0, value: 2 });
    expect(trackColumns(['x', 'y'])).toEqual({ shape: 'values', at: 0, value: 1 });
    expect(trackColumns(['total', 'time'])).toEqual({ shape: 'values', at: 1, value: 0 });
    expect(trackColumns(['start', 'name', 'pc'])).toEqual({ shape: 'points', at: 0, value: -1 });
    expect(trackColumns(['transition_id'])).toEqual({ shape: 'points', at: 0, value: -1 });
    expect(trackColumns(['name', 'dur', 'y'])).toBe(null);
  });

  it('have ends and names, and say where they are', () => {
    const names = ['start', 'dur', 'name', 'track', 'depth'];
    const rows = [
      [150n, 10n, 'work', 3n, 1n],
      [120n, 0n, 'unknown', null, null],
      [150n, 5n, 'main', 4n, 0n],
      [99n, 10n, 'work', 3n, 1n],
      [201n, 10n, 'work', 3n, 1n],
      [160n, -1n, 'work', 3n, 1n],
      [160n, null, 'work', 3n, 1n],
      ['150', 1n, 'work', 3n, 1n],
    ];
    const made = rowsAsTrack(trackColumns(names)!, names, rows, extent);
    expect([...made.time]).toEqual([150n, 120n, 150n]);
    expect([...made.until]).toEqual([160n, 120n, 155n]);
    expect([made.names, made.left]).toEqual([['work', 'unknown', 'main'], 5]);
    expect(made.places.get(150n)).toEqual({ track: 2, depth: 1 });
    expect(made.places.get(120n)).toEqual({ track: null, depth: null });
  });

  it('have signed and real values', () => {
    const made = rowsAsTrack(
      trackColumns(['time', 'value'])!,
      ['time', 'value'],
      [
        [100n, -2n],
        [200n, 0.5],
        [150n, 'a'],
      ],
      extent,
    );
    expect(made.until.length).toBe(0);
    expect([[...made.bits], [...made.numbers], made.left]).toEqual([[2n ** 64n - 2n, 0x3fe0000000000000n], [1, 2], 1]);
  });
});
