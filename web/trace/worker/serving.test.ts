import { afterEach, expect, test, vi } from 'vitest';
import { connect } from '../../base/remote.ts';
import { serveToPage } from './serving.ts';

afterEach(() => vi.unstubAllGlobals());

test('what a method throws arrives as a sentence, and a trap is reported after it', async () => {
  const reported = vi.fn();
  vi.stubGlobal('reportError', reported);
  const { port1, port2 } = new MessageChannel();
  const service = {
    refuses: (): never => {
      throw 'This is no apitrace.';
    },
    traps: (): never => {
      throw new Error('unreachable');
    },
  };
  serveToPage(service, port2);
  const { remote } = connect<typeof service>(port1);
  await expect(remote.refuses()).rejects.toBe('This is no apitrace.');
  expect(reported).not.toHaveBeenCalled();
  await expect(remote.traps()).rejects.toMatch(/stopped unexpectedly \(unreachable\)/);
  await vi.waitFor(() => expect(reported).toHaveBeenCalledTimes(1));
  port1.close();
});
