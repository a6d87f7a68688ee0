import { expect, it } from 'vitest';
import type { Field, Value } from '../../base/protocol.ts';
import { click, mount, press, settle } from '../../parts/dom.fixture.ts';
import { Fields } from './value.tsx';

const CONTEXT = { origin: 0n, clock: { kind: 'ordinal', unit: 'step' } } as never;
const number = (v: number): Value => ({ t: 'int', v: BigInt(v), hex: false });

function fields(...of: Field[]) {
  return mount(
    <dl>
      <Fields fields={of} context={CONTEXT} />
    </dl>,
  );
}

const rows = (host: HTMLElement) => [...host.querySelectorAll('.copyable')].map((it) => it.textContent);

it('shows a scalar beside its name, as a button that copies it', async () => {
  const copied: string[] = [];
  const before = navigator.clipboard.writeText;
  navigator.clipboard.writeText = async (text: string) => {
    copied.push(text);
  };
  const host = fields({ name: 'count', value: number(1234) }, { name: 'at', value: { t: 'int', v: 255n, hex: true } });
  expect([...host.querySelectorAll('dt')].map((it) => it.textContent)).toEqual(['count', 'at']);
  const [count, at] = host.querySelectorAll('[role=button]');
  expect(count!.getAttribute('tabindex')).toBe('-1');
  click(count!);
  await settle();
  expect(count!.querySelector('[role=status]')?.textContent).toBe('copied');
  press('Enter', at!);
  await settle();
  navigator.clipboard.writeText = before;
  expect(copied).toEqual(['1234', '0xff']);
});

it('folds a structure below its name', () => {
  const host = fields({ name: 'args', value: { t: 'tree', v: [{ name: 'mode', value: number(4) }] } });
  const twist = host.querySelector('.twist')!;
  expect(twist.getAttribute('aria-expanded')).toBe('true');
  expect(rows(host)).toEqual(['4']);
  click(twist);
  expect(twist.getAttribute('aria-expanded')).toBe('false');
  expect(rows(host)).toEqual([]);
});

it('shows the first numbers of a list, and all in a region that is reached by keyboard', () => {
  const host = fields({ name: 'list', value: { t: 'list', v: Array.from({ length: 500 }, (_, i) => number(i)) } });
  expect(rows(host).length).toBe(20);
  click(host.querySelector('.more'));
  const region = host.querySelector('section')!;
  expect(region.getAttribute('aria-label')).toBe('Elements');
  expect(region.tabIndex).toBe(0);
  expect(rows(host).length).toBeLessThan(500);
});

it('shows further fields and characters on request', () => {
  const host = fields({ name: 'source', value: { t: 'text', v: 'x'.repeat(3000) } });
  expect(host.querySelector('.copyable')?.textContent?.length).toBe(2000);
  click(host.querySelector('.more'));
  expect(host.querySelector('.copyable')?.textContent?.length).toBe(3000);
  const many = fields(...Array.from({ length: 250 }, (_, i) => ({ name: `f${i}`, value: number(i) })));
  expect(many.querySelectorAll('dt').length).toBe(200);
  click(many.querySelector('.more'));
  expect(many.querySelectorAll('dt').length).toBe(250);
});

it('has the bytes of a value in lines, as hexadecimal and as text', () => {
  const bytes = Uint8Array.from({ length: 64 }, (_, i) => i + 32);
  const host = fields({ name: 'data', value: { t: 'bytes', v: bytes, length: 100n } });
  const region = host.querySelector('section')!;
  expect(region.getAttribute('aria-label')).toBe('Bytes as hexadecimal and as text');
  expect(region.textContent).toContain('20 21');
  expect(host.textContent).toContain('36 more bytes are not shown.');
});
