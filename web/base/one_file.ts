/*
 * The page as one file that runs from a disk, `unspool.html` (web/app/one_file). Its other files are within it, under addresses that only
 * the page understands, as a file may not fetch others.
 */

/** Whether this is the page in one file. A constant of the build. */
export const ONE_FILE: boolean = import.meta.env.MODE === 'one-file';

/** What the addresses of files within the page begin with. */
export const WITHIN = 'unspool-file:';

/** The files within the page, by name. */
export interface Contents {
  /** The scripts of workers, and that of the page. */
  readonly scripts: Readonly<Record<string, string>>;
  readonly others: Readonly<Record<string, Blob>>;
}

/** The message with which the page gives a worker the other files: a worker of a file can fetch nothing of the page's. */
export interface FilesMessage {
  readonly unspoolFiles: Contents['others'];
}

/** What the page keeps for {@link contents}. */
declare global {
  // `var` makes it a property of the global object.
  var unspoolContents: Contents | undefined;
}

function contents(): Contents {
  return globalThis.unspoolContents ?? { scripts: {}, others: {} };
}

/** The script of a worker, by its address. Throws if the page has none of that name. */
export function scriptWithin(address: string): string {
  const script = address.startsWith(WITHIN) ? contents().scripts[address.slice(WITHIN.length)] : undefined;
  if (script === undefined) throw new TypeError(`${address} is not a module of the page`);
  return script;
}

/** The first message to a worker. */
export function filesForWorker(): FilesMessage {
  return { unspoolFiles: contents().others };
}

/** A sample within the page, by its path. Throws if there is none. */
export function sampleWithin(path: string): Blob {
  return fileWithin(contents().others, path);
}

/** One of these files. Throws if there is none of that name. */
export function fileWithin(files: Contents['others'], name: string): Blob {
  const file = files[name];
  if (!file) throw new TypeError(`${name} is not a file of the page`);
  return file;
}
