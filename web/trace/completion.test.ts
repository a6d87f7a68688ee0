import { describe, expect, it } from 'vitest';
import type { TraceInfo } from '../base/protocol.ts';
import { completionsOf, type Known } from './completion.ts';
import { quotedIfNeeded } from './terms.ts';

const info = (format: string, kind: 'seconds' | 'ordinal', offers: readonly string[] = []) =>
  ({
    format,
    clock: kind === 'seconds' ? { kind, frequency: 1n } : { kind, unit: 'call' },
    offers,
  }) as unknown as TraceInfo;

const known: Known = {
  names: ['glClear', 'glDrawArrays', 'my function', 'glClear'],
  threads: ['main thread 5', 'worker'],
  fields: ['count', 'mode', 'counter'],
  info: info('xray', 'seconds'),
};

/** The completions at `|`. */
function at(text: string, what: Known = known) {
  const caret = text.indexOf('|');
  const { from, to, items } = completionsOf(text.replace('|', ''), caret, what);
  return { part: text.replace('|', '').slice(from, to), items: items.map((item) => item.text) };
}

describe('completions', () => {
  it('are keys and names that begin with the term', () => {
    expect(at('na|').items).toEqual(['name:']);
    expect(at('gl|').items).toEqual(['name:glClear', 'name:glDrawArrays']);
    expect(at('(d|').items).toEqual(['dur>', 'depth:']);
    expect(at('-thr|').items).toEqual(['thread:']);
    expect(at('|').items).toEqual(expect.arrayContaining(['name:', 'dur>']));
    expect(at('x |').items).toEqual([]);
  });
  it('replace the term at the caret, and only its value after a key', () => {
    expect(at('a name:dra|ws b')).toEqual({ part: 'draws', items: ['glDrawArrays'] });
    expect(at('x (thread:w|)')).toEqual({ part: 'w', items: ['worker'] });
    expect(at('flag:o|').items).toEqual(['open']);
    expect(at('arg.cou|').items).toEqual(['count', 'counter']);
  });
  it('put names in quotes that would be understood otherwise', () => {
    expect(at('name:my|').items).toEqual(['"my function"']);
    expect(['a(b', 'say "x"', 'operator*', '-x', '/x', 'a::b<c>'].map(quotedIfNeeded)).toEqual([
      '"a(b"',
      '"say \\"x\\""',
      '"operator*"',
      '"-x"',
      '"/x"',
      'a::b<c>',
    ]);
  });
  it('leave quotes and regular expressions alone', () => {
    expect(at('"gl|').items).toEqual([]);
    expect(at('name:/gl|').items).toEqual([]);
    expect(at('"a b" gl|').items).toHaveLength(2);
  });
  it('have the keys that mean something in the trace', () => {
    const calls = { ...known, info: { ...info('apitrace', 'ordinal'), recordNoun: 'call' as const } };
    expect(at('d|', calls).items).toEqual(['depth:']);
    expect(at('fr|', calls).items).toEqual(['frame:']);
    expect(at('in|').items).toEqual([]);
    expect(at('in|', { ...known, info: info('frames', 'ordinal', ['disassembly']) }).items).toEqual(['insn:']);
  });
});
