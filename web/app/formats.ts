/** A format in the list of the empty page. */
export interface Format {
  /** As in `TraceInfo.format`. */
  readonly id: string;
  /** What the file is called by those who record it. */
  readonly name: string;
  /** What is shown of it. */
  readonly about: string;
  /** How to record one, as `MarkedText`. */
  readonly record: string;
  /** Samples that are part of the page. */
  readonly samples: readonly Sample[];
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
    about: 'What each thread called, when, and for how long. For names, add the program that wrote the log.',
    record: 'Compile with `-fxray-instrument`, run with `XRAY_OPTIONS="patch_premain=true xray_mode=xray-fdr"`',
    samples: [
      { path: 'samples/threads.xray', name: 'Threads', about: 'Four threads, one recorded from the middle of a call' },
      { path: 'samples/events.xray', name: 'Events', about: 'Custom and typed events between calls' },
    ],
  },
  {
    id: 'apitrace',
    name: 'apitrace traces',
    about: 'OpenGL, EGL and Direct3D calls by frame: what each drew, state, textures and shaders.',
    record: 'Run `apitrace trace PROGRAM`',
    samples: [
      { path: 'samples/scene.trace', name: 'Scene', about: 'Forty-one frames of a small game in OpenGL' },
      { path: 'samples/values.trace', name: 'Values', about: 'Every kind of argument, and backtraces' },
    ],
  },
  {
    id: 'frames',
    name: 'BAP frames',
    about: 'Executed instructions with registers and memory at any step, and the calls rebuilt from them.',
    record: "Run `qemu-x86_64 -tracefile OUT.frames PROGRAM` of BAP's QEMU, or its Pin tracer",
    samples: [{ path: 'samples/calls.frames', name: 'Calls', about: 'x86-64 code with recursion and tainted input' }],
  },
  {
    id: 'trace-db',
    name: 'trace-db traces',
    about: 'Variables as values over time, statements, buffers and invariants.',
    record: "Run a program that GrammaTech's tools instrumented",
    samples: [{ path: 'samples/variables.trace', name: 'Variables', about: 'A sort and greatest common divisors' }],
  },
  {
    id: 'rvn',
    name: 'REVEN block traces',
    about: 'Each run of each basic block of a whole system, and the calls rebuilt from them.',
    record: 'Record a scenario in REVEN with rvnblock: its SQLite database',
    samples: [
      { path: 'samples/blocks.sqlite', name: 'Blocks', about: 'A 64-bit system with interrupts and a page fault' },
    ],
  },
];

/** The samples of all formats. */
export const SAMPLES: readonly Sample[] = FORMATS.flatMap(({ samples }) => samples);
