import { expect, it } from 'vitest';
import { eventually, fileOf, openInNode } from '../../tests/engine.ts';
import { addUrl } from './added_url.ts';

it('adds the program at an address to the trace, or says why it cannot', async () => {
  const { open, workbench } = await openInNode('binaries/program.xray');
  const asked: string[] = [];
  const net = {
    base: 'http://localhost:3000/',
    online: true,
    fetch: async (url: string) => {
      asked.push(url);
      const isThere = url.endsWith('program.elf');
      return new Response(isThere ? await fileOf('binaries/program.elf').arrayBuffer() : null, {
        status: isThere ? 200 : 404,
      });
    },
  };
  await addUrl('logs/program.elf', workbench, net);
  await eventually(() => open.trace.companions.peek().length > 0, 'the program');
  expect(open.trace.companions.peek().map(({ name }) => name)).toEqual(['program.elf']);
  expect(asked).toContain('http://localhost:3000/logs/program.elf');
  await addUrl('other.elf', workbench, net);
  expect(workbench.notice.value?.sentence).toMatch(/404|not found/i);
});
