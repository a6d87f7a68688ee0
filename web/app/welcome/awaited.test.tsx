import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { NBSP } from '../../base/format.ts';
import type { Awaited } from '../../page/awaited.ts';
import { parseLink } from '../../page/link.ts';
import type { Page } from '../../page/page.ts';
import { click, mount, settle } from '../../parts/dom.fixture.ts';
import { AwaitedFile, shownBy } from './awaited.tsx';

const LINK = '#unspool=1&name=run.xray&size=16000000';

function shown(fragment: string, awaited: Pick<Awaited, 'isOwn' | 'source'>) {
  const log: string[] = [];
  const page = {
    awaited: signal(null),
    workbench: { warm: () => undefined, openFiles: async ([file]: readonly File[]) => log.push(`open ${file!.name}`) },
  } as unknown as Page;
  const choose = () => log.push('choose');
  const host = mount(<AwaitedFile page={page} awaited={{ link: parseLink(fragment)!, ...awaited }} choose={choose} />);
  const button = (text: string) => [...host.querySelectorAll('button')].find((it) => it.textContent === text) ?? null;
  return { host, log, button, heading: () => host.querySelector('h1')?.textContent };
}

describe('a file that is awaited', () => {
  it('is the heading of the page that a link leads to, with a place to drop it', () => {
    const { host, log, button, heading } = shown(`${LINK}&range=1..5&find=main&notes=[{"at":"3"},{"at":"5"}]`, {
      isOwn: false,
      source: null,
    });
    expect(heading()).toBe('This link leads to run.xray');
    expect(host.textContent).toContain(
      `It shows a range, a search for “main” and 2${NBSP}notes. The link does not contain the file (16.0${NBSP}MB).`,
    );
    expect(host.textContent).toContain('Drop run.xray here, or');
    click(button('Choose it'));
    expect(log).toEqual(['choose']);
  });

  it('is what was open here, after a reload', () => {
    const { host, log, button, heading } = shown(LINK, { isOwn: true, source: null });
    expect(heading()).toBe(`run.xray, 16.0${NBSP}MB, was open here`);
    expect(host.textContent).toContain('Drop it here, or');
    click(button('Choose it again'));
    expect(log).toEqual(['choose']);
  });

  it('is opened by one button if the browser can, and chosen if it cannot after all', async () => {
    const files = [new File([], 'run.xray')];
    const there = shown(LINK, { isOwn: true, source: { isGranted: false, open: async () => files } });
    click(there.button('Open run.xray again'));
    await settle();
    expect(there.log).toEqual(['open run.xray']);
    const gone = shown(LINK, { isOwn: true, source: { isGranted: false, open: async () => null } });
    click(gone.button('Open run.xray again'));
    await settle();
    expect(gone.host.querySelector('[role=alert]')?.textContent).toContain('access was denied');
    expect(gone.button('Choose it again')).not.toBeNull();
  });

  it('has words for each part of a link', () => {
    const words = (more: string) => shownBy(parseLink(`${LINK}${more}`)!);
    expect(words('')).toBe('all of it');
    expect(words('&view=1..2')).toBe('a part of it');
    expect(words('&view=1..2&at=1,2,3&events=x')).toBe('a part of it, a selection and filters');
    expect(words('&flame=["heavy","a"]')).toBe('call paths');
  });
});
