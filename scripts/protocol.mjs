// `npm run test:mcp`: a conversation with `unspool mcp` by the official client, in an environment of its own in target/mcp.

import { join } from 'node:path';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import { ci, environment, fail, find, output, root, run, say, windows } from './lib.mjs';

/** The official client. */
const CLIENT = 'mcp==2.3.0';

/**
 * Runs the conversation with a command that was built. Returns the exit status.
 *
 * @param {NodeJS.ProcessEnv} env
 */
export async function testMcp(env = {}) {
  if (output(windows ? 'python' : 'python3', ['-c', 'import venv, ensurepip']) === undefined) {
    if (ci) fail('`unspool mcp` cannot be tested: python3 or its venv is missing.');
    say('skipped: the conversation with `unspool mcp`, because python3 or its venv is missing');
    return 0;
  }
  const python = await environment(join(root, 'target', 'mcp'), [CLIENT]);
  const command = join(root, 'target', 'debug', windows ? 'unspool.exe' : 'unspool');
  return run(python, ['scripts/protocol.py', command, 'tests/fixtures'], { env });
}

if (import.meta.url === pathToFileURL(argv[1]).href) {
  if (!find('cargo')) fail('cargo is missing.');
  const built = await run('cargo', ['build', '--locked', '-p', 'unspool-cli']);
  process.exitCode = built === 0 ? await testMcp() : built;
}
