// What scripts/same.mjs runs over a trace: each command of `unspool` in each form of its output.

/** Every target of `unspool convert`. */
const TARGETS = ['chrome', 'perfetto', 'speedscope', 'folded', 'pprof', 'vcd', 'csv', 'parquet'];

/** Expressions of Find, with each kind of term. The last one is a mistake. */
const EXPRESSIONS = [
  'name:*a*',
  'depth:0 or flag:open',
  'e',
  '/[aeiou]l/i -flag:uncertain',
  'dur>2',
  'start:10..',
  'thread:*1 not depth>3',
  'frame:1..3',
  'arg.size:* or arg.i>0 or arg.mode:GL_TRIANGLES',
  'ret:0',
  'text:"a"',
  'bytes:00 00',
  'insn:mov* or insn:call',
  'addr:0x400000..',
  'mem:0x0..0x7fffffffffffffff',
  'mem.written:0x0.. reg:0x0..0x10',
  'mem.value:0x5 or reg.rax:0..',
  'taint:*',
  'dur>',
];

/** Statements of SQL: each table, and records with their fields. The last one is a mistake. */
const STATEMENTS = [
  'select * from named_slices',
  'select * from named_instants; select * from named_counters limit 500',
  'select * from tracks; select * from names',
  'select track, flags, count(*), median(dur), percentile(dur, 90), stddev(dur) from slices group by 1, 2',
  'select * from records order by id limit 200',
  'select record, key, value, symbol from fields limit 500',
  'select nothing from slices',
];

/**
 * A command line.
 *
 * @typedef {object} Form
 * @property {string} command The first argument.
 * @property {string[]} args Those after it.
 * @property {string[]} [formats] Those it is meant for: all if left out; the others refuse it.
 * @property {string} [stdin] A path whose content the command reads.
 * @property {boolean} [isKeyed] If the output depends on a key that the command draws at random.
 */
/**
 * What is known of a trace.
 *
 * @typedef {object} Facts
 * @property {string} path
 * @property {number} size
 * @property {string} [in] The archive that it is in.
 * @property {string | undefined} format
 * @property {bigint} from
 * @property {bigint} to
 * @property {string[]} tracks
 * @property {string[]} variables
 * @property {number[]} textures
 * @property {string[]} registers
 * @property {string[]} addresses
 * @property {string[]} binaries
 * @property {string} names
 * @property {string} other
 */

/**
 * The forms of all commands over one trace.
 *
 * @param {Facts} facts what is known of the trace
 * @returns {Form[]} in an order that depends on nothing else
 */
export function forms(facts) {
  const { path, from, to } = facts;
  /** @type {Form[]} */
  const all = [];
  /** @type {(formats?: string[]) => (command: string, args: string[], more?: Partial<Form>) => number} */
  const of =
    (formats) =>
    (command, args, more = {}) =>
      all.push({ command, args, ...(formats && { formats }), ...more });
  const any = of(undefined);
  const [gl, frames, values] = [of(['apitrace']), of(['frames']), of(['trace-db'])];
  const steps = of(['frames', 'rvn']);
  /** @param {number} part */
  const near = (part) => String(from + ((to - from) * BigInt(part)) / 16n);
  const middle = `${near(5)}..${near(11)}`;

  any('info', [path]);
  any('info', [path, '--json']);
  any('info', ['-', '--json'], { stdin: facts.in ?? path });
  any('info', [path, '--json', '--nest-tail-calls'], { formats: ['xray'] });
  any('info', [path, '--json', '--max-memory', '4K']);
  any('info', [path, '--json', '--names', facts.names, ...facts.binaries.flatMap((binary) => ['--binary', binary])]);

  any('dump', [path]);
  any('dump', [path, '--as', 'jsonl']);
  gl('dump', [path, '--as', 'text', '--thread-ids', 'yes']);
  gl('dump', [path, '--as', 'jsonl', '--blobs']);
  any('dump', [path, '--names', facts.names, ...facts.binaries.flatMap((binary) => ['--binary', binary])]);

  for (const more of [[], ['--json'], ['--csv']]) {
    any('slices', [path, ...more]);
    for (const by of ['function', 'thread', 'stack']) any('stats', [path, '--by', by, ...more]);
  }
  any('slices', [path, '--range', middle, '--json']);
  any('stats', [path, '--range', middle, '--csv']);
  any('stats', [path, '--nest-tail-calls', '--json'], { formats: ['xray'] });
  for (const track of [facts.tracks[0] ?? 'main', facts.tracks.at(-1) ?? '1']) {
    any('slices', [path, '--track', track]);
    any('stats', [path, '--track', track, '--json']);
  }
  for (const form of ['dot', 'json']) any('graph', [path, '--as', form]);
  any('graph', [path, '--as', 'json', '--range', middle]);

  EXPRESSIONS.forEach((expression, i) => {
    any('find', [path, expression, ...[[], ['--json'], ['--csv', '--limit', '50']][i % 3]]);
  });

  const [variable, second] = [facts.variables[0] ?? 'i', facts.variables.at(-1) ?? 'n'];
  for (const query of [
    `${variable} > 0`,
    `0 <= ${variable} < ${second} + 2`,
    'a, b: any where a > b and distinct(a, b) once',
    'a: any where a.size = 8 prefer a > 5, a < 9 pick 7',
    'a: any where a / 3 * 3 = a in file 0',
    `(query (predicate (> (v/value ${variable}) 1)) (keep))`,
    `${variable} > (`,
  ]) {
    values('query', [path, query]);
  }
  values('query', [path, facts.other, 'a: any where a >= 1', '--limit', '20', '--names', facts.names]);

  for (const step of [from, near(4), near(8), near(13), to].map(String)) {
    gl('state', [path, '--at', step]);
    gl('state', [path, '--at', step, '--before', '--json']);
    const memory = facts.addresses.slice(0, 2).flatMap((address) => ['--memory', `${address}+64`]);
    frames('state', [path, '--at', step, ...memory]);
    frames('state', [path, '--at', step, '--after', '--json', ...memory]);
    for (const cell of [facts.registers[0] ?? 'RAX', `${facts.addresses[0] ?? '0x1000'}+4`]) {
      frames('origin', [path, cell, '--at', step, '--depth', '6', '--addresses']);
    }
  }
  for (const cell of [...facts.registers, ...facts.addresses.map((address) => `${address}+8`)]) {
    frames('history', [path, cell]);
    frames('history', [path, cell, '--json', '--from', near(3), '--to', near(12)]);
    frames('origin', [path, cell, '--at', near(9)]);
  }
  for (const by of ['address', 'block', 'module']) {
    steps('coverage', [path, '--by', by]);
    steps('coverage', [path, '--by', by, '--as', 'json', '--range', middle]);
  }
  steps('coverage', [path, '--as', 'drcov']);
  for (const how of ['--plus', '--minus', '--common']) steps('coverage', [path, how, facts.other, '--by', 'block']);
  steps('loops', [path]);
  steps('loops', [path, '--json', '--least', '3']);

  for (const more of [[], ['--json']]) {
    any('findings', [path, ...more]);
    gl('frame-list', [path, ...more]);
    gl('resources', [path, ...more]);
    gl('resources', [path, '--leaks', ...more]);
  }
  for (const texture of facts.textures) gl('image', [path, '--texture', String(texture), '-o', 'out/image.png']);
  const texture = String(facts.textures[0] ?? 1);
  gl('image', [path, '--texture', texture, '--at', near(8), '--flip', '-o', 'out/image.png']);
  gl('image', [path, '--texture', texture, '--level', '1', '--range', '0.25..2', '-o', 'out/image.png']);
  gl('image', [path, '--texture', texture, '--layer', '1', '-o', 'out/image.png']);

  any('sql', [path]);
  for (const [i, statement] of STATEMENTS.entries())
    any('sql', [path, statement, ...[[], ['--json'], ['--csv']][i % 3]]);
  any('sql', [
    path,
    'select count(*) from other.slices; select * from slices limit 20',
    '--attach',
    facts.other,
    '--json',
  ]);
  any('sql', [path, '--save', 'out/saved.sqlite']);
  any('sql', [path, '--save', 'out/saved.sqlite', '--records']);

  for (const target of TARGETS) any('convert', [path, '--to', target, '-o', 'out/converted']);
  for (const target of ['chrome', 'perfetto']) {
    any('convert', [path, '--to', target, '--no-args', '--range', middle, '-o', '-']);
    any('convert', [path, '--to', target, '--where', 'name:*a* or dur>3', '-o', '-']);
    any('convert', [path, '--to', target, '--omit', 'texts,payloads', '-o', '-']);
  }
  any('convert', [path, '--to', 'chrome', '--hash', 'all', '-o', '-'], { isKeyed: true });
  any('convert', [path, facts.other, '--to', 'speedscope', '--jobs', '1', '-o', 'out/several']);

  any('cut', [path, '-o', 'out/cut']);
  any('cut', [path, '--range', middle, '-o', 'out/cut']);
  any('cut', [path, '--range', `${near(8)}..${near(8)}`, '-o', 'out/cut']);
  for (const part of ['environment', 'paths', 'texts', 'payloads', 'all']) {
    any('cut', [path, '--omit', part, '-o', 'out/cut']);
    any('cut', [path, '--hash', part, '-o', 'out/cut'], { isKeyed: true });
  }
  for (const frames of ['0', '1', '3..4'])
    gl('cut', [path, '--frames', frames, '--self-contained', '-o', 'out/cut', '--json']);
  return all;
}

/**
 * The commands for large files, of those for all: each that reads all of a file in another way.
 *
 * @param {readonly Form[]} forms
 */
export function forLarge(forms) {
  const first = new Set();
  return forms.filter(({ command, args, formats, isKeyed, stdin }) => {
    /** @param {...string} words */
    const is = (...words) => words.every((word) => args.includes(word));
    if (
      isKeyed ||
      stdin ||
      !['info', 'stats', 'find', 'cut', 'findings', 'coverage', 'resources', 'state'].includes(command)
    )
      return false;
    if (command === 'info' && !is('--json')) return false;
    if (command === 'stats' && !is('--csv', 'function')) return false;
    if (command === 'cut' && !is('--range')) return false;
    if (command === 'find' && !is('bytes:00 00')) return false;
    if (command === 'state' && first.has('state')) return false;
    if (first.has(command) && (formats === undefined || command === 'coverage')) return false;
    first.add(command);
    return true;
  });
}

/**
 * Command lines that need no trace: help, misuse, what is generated.
 *
 * @param {readonly string[]} commands
 */
export function withoutTrace(commands) {
  /** @type {Form[]} */
  const all = [
    { command: '--help', args: [] },
    { command: '--version', args: [] },
    { command: 'nothing', args: [] },
  ];
  for (const command of commands) {
    all.push({ command, args: ['--help'] }, { command, args: [] }, { command, args: ['missing'] });
  }
  for (const kind of ['xray', 'apitrace', 'frames', 'trace-db', 'rvn']) {
    const [seed, events, threads, depth] = ['--seed', '--events', '--threads', '--depth'];
    all.push({ command: 'generate', args: [kind, events, '3000', '-o', 'out/generated'] });
    all.push({ command: 'generate', args: [kind, events, '777', seed, '5', threads, '3', depth, '4', '-o', '-'] });
  }
  all.push({
    command: 'generate',
    args: ['xray', '--events', '2000', '--mid-stack', '--out-of-order', '-o', 'out/generated'],
  });
  return all;
}
