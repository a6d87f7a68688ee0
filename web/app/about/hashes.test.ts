import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeHashes } from './building.ts';
import { differing, parseHashes } from './hashes.ts';

it('finds the files that differ from the list that the build writes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'unspool-hashes-'));
  try {
    mkdirSync(join(folder, 'assets'));
    for (const name of ['index.html', 'assets/b.js', 'assets/a.js', 'sw.js']) writeFileSync(join(folder, name), name);
    writeHashes(folder);
    const list = parseHashes(readFileSync(join(folder, 'hashes.txt'), 'utf8'));
    expect(list.map(({ path }) => path)).toEqual(['assets/a.js', 'assets/b.js', 'index.html']);
    const counted: number[] = [];
    const files = async (path: string) =>
      path === 'index.html' ? null : new TextEncoder().encode('assets/a.js').buffer;
    expect(await differing(list, files, (count) => counted.push(count))).toEqual(['assets/b.js', 'index.html']);
    expect(counted).toEqual([1, 2, 3]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
