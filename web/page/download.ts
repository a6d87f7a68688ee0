import { parseAddress } from '../base/address.ts';
import { formatBytes } from '../base/format.ts';
import { ONE_FILE } from '../base/one_file.ts';
import type { TraceError } from '../base/protocol.ts';
import { RangedFile } from '../base/ranged_file.ts';

/** Bytes of a download at most. A server may never stop sending. */
export const LARGEST_DOWNLOAD = 16e9;

/** What a download needs of the browser. Tests substitute their own. */
export interface Net {
  fetch(url: string, init: { signal: AbortSignal; headers?: Record<string, string> }): Promise<Response>;
  /** The address of the page. */
  readonly base: string;
  readonly online: boolean;
}

/** An address that can be fetched. */
export interface Address {
  readonly url: string;
  readonly host: string;
  /** The file's name. */
  readonly name: string;
}

/** Reads an address as it was given. Throws a {@link TraceError} if it cannot be fetched. */
export function addressOf(text: string, base: string): Address {
  const parsed = parseAddress(text, base);
  if (!parsed) throw refused(`“${text}” is not an address.`);
  const { protocol, host, hostname, pathname } = parsed;
  if (protocol === 'file:') throw refused('A page cannot read local files by their address. Open the file instead.');
  if (!['http:', 'https:', 'blob:', 'data:'].includes(protocol)) {
    throw refused(`Addresses that begin with ${protocol} cannot be downloaded. Use https: instead.`);
  }
  // Browsers take `*` for the name of a host, and in a security policy it stands for all of them.
  if (!/^(?:[\w.-]*|\[[\da-f:.]+\])$/.test(hostname))
    throw refused(`“${text}” is not an address: ${hostname} is not a host.`);
  return { url: parsed.href, host: host || 'this address', name: nameIn(protocol === 'data:' ? '' : pathname) };
}

/** Bytes. A smaller file is downloaded as a whole, which takes one request. */
const LEAST_RANGED = 4 << 20;

/**
 * Downloads into a blob, which the browser may keep on disk. `tell` hears how much has arrived; the total is null if unknown. Of a host
 * that offers ranges nothing is downloaded: what reads the file loads them.
 * Throws a {@link TraceError}, or an `AbortError` if `signal` ends it.
 */
export async function download(
  { url, host, name }: Address,
  net: Net,
  signal: AbortSignal,
  tell: (received: number, total: number | null) => void,
): Promise<Blob> {
  let response: Response;
  try {
    response = await wholeOf(url, net, signal);
  } catch {
    signal.throwIfAborted();
    if (!net.online) throw refused('The browser is offline, so the file cannot be downloaded.');
    const reason = 'it cannot be reached, redirects to another host, or does not allow other pages to read it (CORS).';
    throw refused(`The file could not be downloaded from ${host}: ${reason}`);
  }
  if (!response.ok) throw refused(`${host} answered with status ${response.status} instead of the file.`);
  const ranged = rangedOf(response);
  if (ranged) {
    void response.body?.cancel().catch(() => undefined);
    const { rangesAt } = await import('./loads.ts');
    return new RangedFile(rangesAt(new URL(url, net.base).href, ranged.total, ranged.tag), name, 0);
  }
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  // With a content encoding the header gives the compressed length.
  const total = Number.isFinite(length) && !response.headers.get('content-encoding') ? length : null;
  let received = 0;
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (bytes, controller) => {
      received += bytes.byteLength;
      if (received > LARGEST_DOWNLOAD) throw new TooLarge();
      tell(received, total);
      controller.enqueue(bytes);
    },
  });
  try {
    return await new Response(response.body?.pipeThrough(counted) ?? null).blob();
  } catch {
    signal.throwIfAborted();
    if (received > LARGEST_DOWNLOAD) {
      const limit = formatBytes(LARGEST_DOWNLOAD);
      throw refused(
        `The file at ${host} is larger than ${limit}, the limit of downloads. A file that is dropped can be larger.`,
      );
    }
    if (!net.online) throw refused('The browser went offline before the download was complete.');
    throw refused(`The download from ${host} stopped after ${formatBytes(received)}, or its encoding is damaged.`);
  }
}

/** Asks for the range that is the whole file: the answer says whether there are ranges. */
async function wholeOf(url: string, net: Net, signal: AbortSignal): Promise<Response> {
  // From a disk, the page and its workers do not hear of each other's loads.
  if (!ONE_FILE && /^https?:/.test(url)) {
    try {
      const response = await net.fetch(url, { signal, headers: { Range: 'bytes=0-' } });
      // An empty file has no ranges.
      if (response.ok) return response;
    } catch {
      // A host may allow other pages to read it, but not with this header.
      signal.throwIfAborted();
    }
  }
  return net.fetch(url, { signal });
}

/** The size and the version of a file whose ranges are worth reading. Other hosts must expose the header for that. */
function rangedOf({ status, headers }: Response): { readonly total: number; readonly tag: string | null } | null {
  const total = Number(/^bytes 0-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1] ?? 0);
  if (status !== 206 || total < LEAST_RANGED || headers.get('content-encoding')) return null;
  const tag = headers.get('etag');
  // A weak one names no bytes.
  return { total, tag: tag?.startsWith('W/') ? null : tag };
}

class TooLarge extends Error {}

function refused(sentence: string): TraceError {
  return { kind: 'unreadable', sentence, offset: null };
}

function nameIn(path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(last) || 'trace';
  } catch {
    // A lone percent sign is part of the name.
    return last;
  }
}
