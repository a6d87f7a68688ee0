import { describe, expect, it } from 'vitest';
import type { Details, Value } from '../base/protocol.ts';
import type { RecordRow } from '../base/record_protocol.ts';
import { executedAddress, keptField, listedAddress } from './kept_fields.ts';

const number: Value = { t: 'int', v: 7n };

describe('a field that can be kept', () => {
  it('has the keys of its records', () => {
    expect(keptField(['Arguments', 'count'], number)).toEqual({
      path: ['args', 'count'],
      ofName: true,
      label: 'count',
    });
    expect(keptField(['Arguments', 'info', 'width'], number)?.path).toEqual(['args', 'info', 'width']);
    expect(keptField(['Return value'], number)).toEqual({ path: ['ret'], ofName: true, label: 'result' });
    expect(keptField(['Variables', 'n', 'Value'], number)).toEqual({ path: ['vars', 'n'], ofName: false, label: 'n' });
    expect(keptField(['Written', 'RAX'], number)?.label).toBe('RAX written');
    expect(keptField(['Arguments'], { t: 'list', v: [number] })).toEqual({
      path: ['args', '0'],
      ofName: true,
      label: 'argument 0',
    });
  });
  it('may have texts', () => {
    expect(keptField(['Arguments', 'name'], { t: 'text', v: 'a' })).toEqual({
      path: ['args', 'name'],
      ofName: true,
      label: 'name',
      isOfTexts: true,
    });
    const bytes = (text: string, length = text.length): Value => ({
      t: 'bytes',
      v: new TextEncoder().encode(text),
      length: BigInt(length),
    });
    const variable = ['Variables', 's', 'Value'];
    expect(keptField(variable, { t: 'symbol', name: '"a"', v: bytes('a') })?.isOfTexts).toBe(true);
    expect(keptField(variable, bytes(''))?.isOfTexts).toBe(true);
    expect(keptField(variable, bytes('a\0'))).toBeNull();
    expect(keptField(variable, bytes('a', 2))).toBeNull();
    expect(keptField(variable, bytes('a'.repeat(4097)))).toBeNull();
    expect(keptField(variable, bytes('grüße', 7))?.path).toEqual(['vars', 's']);
    expect(keptField(['Payload'], bytes('a'))).toEqual({
      path: ['data'],
      ofName: false,
      label: 'payload',
      isOfTexts: true,
    });
    expect(keptField(['Payload'], bytes('\0'))).toBeNull();
    expect(keptField(['Name'], { t: 'text', v: 'a' })).toBeNull();
  });
  it('is of the record', () => {
    expect(keptField(['Arguments'], { t: 'list', v: [number, number] })).toBeNull();
    expect(keptField(['Duration'], number)).toBeNull();
    expect(keptField(['Variables', 'n', 'Size'], number)).toBeNull();
    expect(keptField(['Arguments', 'mode'], { t: 'symbol', name: 'GL_ONE', v: number })).not.toBeNull();
  });
});

describe('the address of an instruction', () => {
  it('is that of its code, or the field of that name', () => {
    const of = (value: Value, name = 'Instruction') =>
      executedAddress({ fields: [{ name, value }] } as unknown as Details, null);
    expect(of({ t: 'code', isa: 'x86-64', address: 9n, v: new Uint8Array() })).toBe(9n);
    expect(of({ t: 'int', v: 8n, hex: true }, 'Address')).toBe(8n);
    expect(of(number)).toBeNull();
    expect(of({ t: 'tree', v: [] }, 'Code')).toBeNull();
    const fields = [{ name: 'address', value: { t: 'int', v: 5n, hex: true } }] as const;
    const row = { fields } as unknown as RecordRow;
    expect(executedAddress({ fields: [] } as unknown as Details, row)).toBe(5n);
  });
  it('is in front of a line of a listing', () => {
    expect(listedAddress(['Code', '0x40000b'])).toBe(0x40000bn);
    expect(listedAddress(['Code'])).toBeNull();
    expect(listedAddress(['Arguments', '0x40'])).toBeNull();
  });
});
