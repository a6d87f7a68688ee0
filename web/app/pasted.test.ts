import { describe, expect, it, vi } from 'vitest';
import { addressFor, followPasted, pastedIn } from './pasted.ts';

const PAGE = 'https://unspool.example/app/?url=https%3A%2F%2Fhost%2Fold.xray';
const VIEW = 'unspool=1&name=app.xray&range=100..200';
const pasted = (text: string) => pastedIn(text, PAGE);

describe('a pasted text', () => {
  it('is a link to a view, of this page or of another that is Unspool', () => {
    for (const base of ['https://unspool.example/app/', 'https://elsewhere.example/']) {
      expect(pasted(` ${base}#${VIEW}\n`)).toEqual({ at: 'view', fragment: `#${VIEW}` });
    }
  });
  it('is a link to a file, with its view', () => {
    const link = `https://elsewhere.example/u/?url=https://host/app.xray#${VIEW}`;
    expect(pasted(link)).toEqual({ at: 'address', url: 'https://host/app.xray', fragment: `#${VIEW}` });
    // Without a view, only those of this page are known to be Unspool's.
    expect(pasted('https://unspool.example/app/?url=samples/threads.xray')).toEqual({
      at: 'address',
      url: 'https://unspool.example/app/samples/threads.xray',
      fragment: '',
    });
    expect(pasted('https://elsewhere.example/?url=https://host/app.xray')).toMatchObject({ at: 'other' });
  });
  it('is the address of a file, or of something else', () => {
    expect(pasted('http://host:8000/runs/app.xray.gz?raw=1')).toEqual({
      at: 'address',
      url: 'http://host:8000/runs/app.xray.gz?raw=1',
      fragment: '',
    });
    for (const page of ['https://host/', 'https://host/wiki/Trace', 'https://host/index.html']) {
      expect(pasted(page)).toEqual({ at: 'other', host: 'host' });
    }
    expect(pasted('https://unspool.example/app/')).toMatchObject({ at: 'other' });
  });
  it('is a trace, if it is the YAML of llvm-xray', () => {
    expect(pasted('---\nheader:\n  version: 1\n')).toEqual({ at: 'trace' });
  });
  it('is nothing to the page otherwise', () => {
    for (const text of [
      '',
      'words',
      'https://',
      'https://a.example/x.xray and more',
      'javascript:alert(1)',
      'file:///x.xray',
    ])
      expect(pasted(text)).toBeNull();
  });
});

it('says so of a text that asks for nothing', () => {
  vi.stubGlobal('location', new URL(PAGE));
  const [tell, openFiles] = [vi.fn(), vi.fn()];
  followPasted('{"traceEvents": []}', { tell, openFiles });
  expect([tell.mock.calls, openFiles.mock.calls.length]).toEqual([
    [[expect.stringContaining('neither the address')]],
    0,
  ]);
  vi.unstubAllGlobals();
});

it('opens the address of a file as a link of this page does', () => {
  const address = { at: 'address', url: 'https://host/a b.xray', fragment: `#${VIEW}` } as const;
  const opened = new URL(addressFor(address, PAGE));
  expect(opened.origin + opened.pathname).toBe('https://unspool.example/app/');
  expect(opened.searchParams.get('url')).toBe('https://host/a b.xray');
  expect(opened.hash).toBe(`#${VIEW}`);
  expect(addressFor({ ...address, fragment: '' }, `${PAGE}#${VIEW}`)).not.toContain('#');
});
