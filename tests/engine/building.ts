import type { Plugin } from 'vite';

const ENTRY = /\.ts\?engine=(\d+)$/;
const SCOPES = '/tests/engine/workers.ts';

/** Gives each entry of a worker that a test starts its own `self`: the entry runs once for each, in the thread of the test. */
export function workersInTests(): Plugin {
  return {
    name: 'workers-in-tests',
    transform: (code, id) => {
      const number = ENTRY.exec(id)?.[1];
      if (!number) return null;
      return `import { enterScope } from '${SCOPES}';\nconst leave = enterScope(${number});\n${code}\nleave();`;
    },
  };
}
