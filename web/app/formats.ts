/** A format in the list of the empty page. */
export interface Format {
  /** As in `TraceInfo.format`. */
  readonly id: string;
  readonly name: string;
  readonly about: string;
}

/** A sample trace on the empty page. */
export interface Sample {
  /** URL relative to the page. */
  readonly path: string;
  readonly name: string;
  readonly about: string;
}

/** The formats that the page opens. */
export const FORMATS: readonly Format[] = [
  {
    id: 'xray',
    name: 'LLVM XRay logs',
    about:
      "flight data recorder mode versions 1 to 5, basic mode versions 1 to 3, and llvm-xray's YAML, which has function names",
  },
  {
    id: 'apitrace',
    name: 'apitrace traces',
    about: '.trace of OpenGL, EGL and D3D calls, in any container: Snappy, gzip, Brotli, zstd',
  },
  {
    id: 'frames',
    name: 'BAP frames',
    about: '.frames of QEMU, Pin and other tracers: the calls of each thread, rebuilt from its instructions',
  },
  {
    id: 'trace-db',
    name: 'trace-db traces',
    about: "GrammaTech's, in both layouts: variables as values, statements, buffers",
  },
  {
    id: 'rvn',
    name: 'REVEN block traces',
    about: 'SQLite databases of rvnblock: each run of a basic block, and the calls rebuilt from them',
  },
];

/** The samples that are part of the page. */
export const SAMPLES: readonly Sample[] = [
  {
    path: 'samples/threads.xray',
    name: 'Threads',
    about: 'A main thread and three workers, one of them recorded from the middle of a call',
  },
  { path: 'samples/events.xray', name: 'Events', about: 'One thread with custom and typed events between its calls' },
  {
    path: 'samples/scene.trace',
    name: 'Scene',
    about: 'Forty-one frames of a small game in OpenGL, with debug groups, markers and a second thread',
  },
  {
    path: 'samples/values.trace',
    name: 'Values',
    about: 'Every kind of argument that an apitrace can hold, and backtraces',
  },
  {
    path: 'samples/calls.frames',
    name: 'Calls',
    about: 'A few hundred bytes of x86-64 code, instruction by instruction, with recursion and tainted input',
  },
  {
    path: 'samples/variables.trace',
    name: 'Variables',
    about: 'A sort and greatest common divisors, with every variable at every statement',
  },
  {
    path: 'samples/blocks.sqlite',
    name: 'Blocks',
    about: 'A small 64-bit system, block by block, with interrupts and a page fault',
  },
];
