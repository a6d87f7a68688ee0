import { signal } from '@preact/signals';
import { act } from 'preact/test-utils';
import { describe, expect, it } from 'vitest';
import { mount, remount } from './dom.fixture.ts';
import { cellsOf } from './menu/rows.ts';
import './shown_text.ts';

/** A name with marks that change the direction of writing, a space without a width, and a tag. */
const NAME = 'a\u{202e}b\u{200b}c\u{2066}d\u{e0001}';
const SHOWN = 'a\\u{202e}b\\u{200b}c\\u{2066}d\\u{e0001}';

function Row({ title }: { title: string }) {
  return (
    <div data-row={0}>
      <span role="img" title={title} aria-label={`About ${title}`}>
        {title} on {1}
      </span>
      <input placeholder={title} value={title} />
    </div>
  );
}

describe('texts of components', () => {
  it('have escapes for what has no shape, and so have the attributes that are shown', () => {
    const host = mount(<Row title={NAME} />);
    const span = host.querySelector('span');
    expect(span?.textContent).toBe(`${SHOWN} on 1`);
    expect(span?.title).toBe(SHOWN);
    expect(span?.getAttribute('aria-label')).toBe(`About ${SHOWN}`);
    const input = host.querySelector('input');
    expect(input?.placeholder).toBe(SHOWN);
    // What the user edits stays what it is.
    expect(input?.value).toBe(NAME);
  });

  it('have them where a signal is shown, whatever its value is next', () => {
    const name = signal(NAME);
    const Named = () => <b title={name}>{name}</b>;
    const host = mount(<Named />);
    const element = host.querySelector('b');
    expect(element?.textContent).toBe(SHOWN);
    expect(element?.title).toBe(SHOWN);
    act(() => {
      name.value = `${NAME}x`;
    });
    expect(element?.textContent).toBe(`${SHOWN}x`);
    expect(element?.title).toBe(`${SHOWN}x`);
  });

  it('keep ends of lines and tabs', () => {
    expect(mount(<pre>{'in\tt;\r\nout'}</pre>).textContent).toBe('in\tt;\r\nout');
  });

  it('are copied as they are, also once a node has another text', () => {
    const host = mount(<Row title={NAME} />);
    const cells = () => cellsOf(host.querySelector('[data-row]') ?? host);
    expect(cells()[0]).toBe(`${NAME} on 1`);
    remount(host, <Row title="plain" />);
    expect(cells()[0]).toBe('plain on 1');
    remount(host, <Row title={`${NAME}x`} />);
    expect(cells()[0]).toBe(`${NAME}x on 1`);
  });
});
