import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { COMMANDS } from './commands.ts';

it('lists the commands of the replay in the order of its other side', () => {
  const source = readFileSync(join(import.meta.dirname, '../../../../crate/replay/src/ops.rs'), 'utf8');
  const [, body = ''] = /pub enum Op \{(.*?)\n\}/s.exec(source) ?? [];
  const names = [...body.matchAll(/^ {4}(\w+),$/gm)].map(([, name]) => name);
  expect(names).toEqual([...COMMANDS]);
});
