// `npm run targets`: tests the decoders where addresses have 32 bits, and where the most significant byte comes first.
//
// They are compiled here and run by QEMU's user mode. On Debian as root the script installs what that takes.

import { ci, fail, find, must, output, say } from './lib.mjs';

/** The crates that decode, which are to run on any machine. */
const CRATES = ['unspool-trace', 'unspool-containers', 'unspool-cut', 'unspool-stacks', 'unspool-formats'];

/** Each target with its linker, and with what runs its programs. */
const TARGETS = [
  {
    target: 'i686-unknown-linux-gnu',
    linker: 'i686-linux-gnu-gcc',
    emulator: 'qemu-i386',
    libraries: 'i686-linux-gnu',
  },
  {
    target: 's390x-unknown-linux-gnu',
    linker: 's390x-linux-gnu-gcc',
    emulator: 'qemu-s390x',
    libraries: 's390x-linux-gnu',
  },
];
const PACKAGES = [
  'qemu-user',
  'gcc-i686-linux-gnu',
  'libc6-dev-i386-cross',
  'gcc-s390x-linux-gnu',
  'libc6-dev-s390x-cross',
];

const lacking = () => TARGETS.flatMap(({ linker, emulator }) => [linker, emulator]).filter((name) => !find(name));
if (lacking().length > 0 && find('apt-get') && process.getuid?.() === 0) {
  await must('sh', ['-c', `apt-get update && apt-get install -y --no-install-recommends ${PACKAGES.join(' ')}`]);
}
if (lacking().length > 0) fail(`Please install ${lacking().join(', ')} (Debian: ${PACKAGES.join(' ')}).`);
if (!output('rustup', ['--version'])) fail('rustup is needed: it has the standard library of each target.');
await must('rustup', ['target', 'add', ...TARGETS.map(({ target }) => target)]);

for (const { target, linker, emulator, libraries } of TARGETS) {
  say(target);
  const variable = `CARGO_TARGET_${target.toUpperCase().replaceAll('-', '_')}`;
  const env = {
    [`${variable}_LINKER`]: linker,
    [`${variable}_RUNNER`]: `${emulator} -L /usr/${libraries}`,
    // Symbols would take longer to write than the tests take to run.
    CARGO_PROFILE_DEV_DEBUG: '0',
    ...(ci && { PROPTEST_RNG_SEED: process.env['PROPTEST_RNG_SEED'] ?? '1' }),
  };
  await must(
    'cargo',
    ['test', '--locked', '--lib', '--tests', '--target', target, ...CRATES.flatMap((name) => ['-p', name])],
    {
      env,
    },
  );
}
