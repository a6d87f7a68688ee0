import { it } from 'vitest';
import { mountInNode, openInNode } from '../tests/engine.ts';
it('x', async () => {
  for (let i = 0; i < 8; i++) { const t = performance.now(); await openInNode('xray/threads.xray'); console.log('open', performance.now() - t); }
  for (let i = 0; i < 8; i++) { const t = performance.now(); const { host } = await mountInNode('xray/threads.xray'); const m = performance.now() - t; while (!host.querySelector('.functions tbody tr td')) await new Promise(r => setTimeout(r, 1)); console.log('mount', m, performance.now() - t); }
});
