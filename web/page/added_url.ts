import type { TraceError } from '../base/protocol.ts';
import { whenHolds } from '../base/when.ts';
import { addressOf, download, type Net } from './download.ts';
import type { Workbench } from './workbench.ts';

/** Downloads a file that adds to the open trace, such as the program that has its names, and adds it once the trace is read. */
export async function addUrl(text: string, workbench: Workbench, net: Net): Promise<void> {
  const bench = workbench.bench.peek();
  if (bench.at !== 'open') return;
  const { open } = bench;
  const controller = new AbortController();
  open.scope.add(() => controller.abort());
  try {
    const address = addressOf(text, net.base);
    const blob = await download(address, net, controller.signal, () => undefined);
    // Of a host that offers ranges, nothing is there yet.
    const file = new File([await blob.arrayBuffer()], address.name);
    open.scope.add(whenHolds(open.trace.status, isRead, () => void workbench.openFiles([file])));
  } catch (error) {
    if (!controller.signal.aborted) workbench.warn((error as TraceError).sentence);
  }
}

function isRead(status: { readonly at: string }): status is { readonly at: 'ready' } {
  return status.at === 'ready';
}
