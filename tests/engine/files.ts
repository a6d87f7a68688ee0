/*
 * Files for tests: blobs whose bytes are at hand. They stand for files on a disk, which workers of a browser read without waiting
 * (`FileReaderSync`), and which cross from thread to thread without a copy.
 */

/** What a `Blob` can be made of here. */
type Part = ArrayBuffer | ArrayBufferView | Blob | string;

/** The bytes of a part. Throws for a blob of another kind, whose bytes cannot be read at once. */
function bytesOf(part: Part): Uint8Array<ArrayBuffer> {
  if (typeof part === 'string') return new TextEncoder().encode(part);
  if (part instanceof BytesBlob) return part.content;
  if (part instanceof ArrayBuffer) return new Uint8Array(part);
  if (ArrayBuffer.isView(part)) {
    return new Uint8Array(part.buffer as ArrayBuffer, part.byteOffset, part.byteLength);
  }
  throw new TypeError('a blob that was made before the engine was installed');
}

/** The base class has no bytes of its own: all that reads them is replaced below. */
const Base = globalThis.Blob;

/** A `Blob` over bytes in memory. */
export class BytesBlob extends Base {
  // Both are hidden from what looks for arrays to transfer in a message.
  readonly #content: Uint8Array<ArrayBuffer>;
  readonly #type: string;

  constructor(parts: readonly Part[] = [], { type = '' }: BlobPropertyBag = {}, shared?: Uint8Array<ArrayBuffer>) {
    super();
    this.#type = type;
    this.#content = shared ?? joined(parts.map(bytesOf));
  }

  /** All of its bytes. They are shared by its parts and never written. */
  get content(): Uint8Array<ArrayBuffer> {
    return this.#content;
  }

  override get size(): number {
    return this.content.length;
  }

  override get type(): string {
    return this.#type;
  }

  override slice(from = 0, to = this.size, type = ''): BytesBlob {
    const within = (at: number) => Math.max(0, Math.min(this.size, at < 0 ? this.size + at : at));
    const begin = within(from);
    return new BytesBlob([], { type }, this.content.subarray(begin, Math.max(begin, within(to))));
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    return this.content.slice().buffer;
  }

  override async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.content.slice();
  }

  override async text(): Promise<string> {
    return new TextDecoder().decode(this.content);
  }

  /** Reads into the buffers of a BYOB reader, as streams of files do. */
  override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const { content } = this;
    let at = 0;
    return new ReadableStream({
      type: 'bytes',
      pull: (controller) => {
        const { byobRequest } = controller;
        const into = byobRequest?.view;
        const part = content.subarray(at, at + (into?.byteLength ?? PORTION));
        at += part.length;
        if (byobRequest && into && part.length > 0) {
          new Uint8Array(into.buffer as ArrayBuffer, into.byteOffset, part.length).set(part);
          byobRequest.respond(part.length);
        } else if (part.length > 0) controller.enqueue(part.slice());
        else {
          controller.close();
          byobRequest?.respond(0);
        }
      },
    });
  }
}

/** Bytes of a portion of a stream. */
const PORTION = 1 << 16;

/** A `File` over bytes in memory. */
export class BytesFile extends BytesBlob implements File {
  readonly name: string;
  readonly lastModified: number;
  readonly webkitRelativePath = '';

  constructor(parts: readonly Part[], name: string, { lastModified = 0, ...options }: FilePropertyBag = {}) {
    super(parts, options);
    this.name = name;
    this.lastModified = lastModified;
  }
}

/** Stands for the reader of files that only workers have. */
export class BytesReader {
  readAsArrayBuffer(blob: Blob): ArrayBuffer {
    return bytesOf(blob).slice().buffer;
  }
}

/** Stands for what is dragged or pasted: files, or texts by their types. */
export class BytesTransfer {
  dropEffect = 'none';
  readonly files: File[] = [];
  readonly items = Object.assign([], { add: (file: File) => this.files.push(file) });
  readonly #texts = new Map<string, string>();

  get types(): readonly string[] {
    return [...this.#texts.keys(), ...(this.files.length > 0 ? ['Files'] : [])];
  }

  setData(type: string, text: string): void {
    this.#texts.set(type, text);
  }

  getData(type: string): string {
    return this.#texts.get(type === 'text' ? 'text/plain' : type) ?? '';
  }
}

function joined(parts: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
