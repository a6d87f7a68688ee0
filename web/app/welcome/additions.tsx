import { MarkedText } from '../../parts/marked_text.tsx';

/** What else may be added, and to what, as `MarkedText`. */
const ADDITIONS: readonly (readonly [what: string, adds: string])[] = [
  [
    'Programs, libraries and debug files',
    'ELF or Mach-O: names of functions for XRay logs, BAP frames and REVEN traces',
  ],
  [
    'Lists of names',
    'Text with a line for each, such as `12,main` or `0x401136,main,main.c:3`: functions and statements',
  ],
  ["llvm-xray's YAML", 'opens like the log, with names of functions'],
  ['Profiles', 'What `apitrace replay --pcpu --pgpu --ppd` prints: times of CPU and GPU for an apitrace'],
  ['Traces from the web', 'Paste their address here (Ctrl+V), or open this page with `?url=` and the address'],
  ['Write-ahead logs', '`-wal` files beside a database'],
  ['Notes', 'JSON that *Notes* has saved'],
  ['Compressed files and archives', 'gzip, zstd, xz, Brotli, zip and tar around any of these'],
];

/** What can be added to a trace beside its own file. */
export function Additions() {
  return (
    <>
      <ul>
        {ADDITIONS.map(([what, adds]) => (
          <li key={what}>
            <b>{what}</b>{' '}
            <span class="muted">
              <MarkedText text={adds} />
            </span>
          </li>
        ))}
      </ul>
      <p class="muted">Add them before the trace, after it, or together with it.</p>
    </>
  );
}
