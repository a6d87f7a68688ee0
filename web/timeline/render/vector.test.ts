import { describe, expect, it } from 'vitest';
import { createVector, escaped } from './vector.ts';

const RULER = { font: '', measureText: (text: string) => ({ width: text.length * 6 }) as TextMetrics };

describe('vectors', () => {
  it('have texts that stay texts', () => {
    const vector = createVector(100, 50, '<script>alert(1)</script>', RULER);
    vector.pen.font = '600 11.5px Inter, "Segoe UI", sans-serif';
    vector.pen.textBaseline = 'middle';
    vector.pen.fillText('</text><script>alert("&")</script>\u0001\ud800', 1, 2.3456);
    const text = vector.text();
    expect(text).not.toContain('<script');
    expect(text).toContain('&lt;/text&gt;&lt;script&gt;alert(&quot;&amp;&quot;)&lt;/script&gt;\ufffd\ufffd</text>');
    expect(text).toContain('font-size="11.5" font-weight="600" font-family="Inter, &quot;Segoe UI&quot;, sans-serif"');
    expect(text).toContain('x="1" y="2.35"');
    expect(text).not.toMatch(/href|style=|on\w+=/);
    expect(escaped('a\tb')).toBe('a\tb');
  });

  it('join rectangles of one colour and close all groups', () => {
    const vector = createVector(10, 10, 't', RULER);
    const { pen } = vector;
    pen.fillStyle = '#112233';
    pen.fillRect(0, 0, 1, 2);
    pen.fillRect(3, 0, 1.005, 2);
    pen.save();
    pen.translate(5, 0);
    pen.beginPath();
    pen.rect(0, 0, 4, 4);
    pen.clip();
    pen.fillStyle = '#ff0000';
    pen.globalAlpha = 0.5;
    pen.fillRect(0, 0, 1, 1);
    pen.restore();
    expect(pen.fillStyle).toBe('#112233');
    pen.fillRect(Number.NaN, 0, 1, 1);
    pen.translate(1, 1);
    expect(vector.text()).toBe(
      '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10" viewBox="0 0 10 10" role="img"><title>t</title>' +
        '<path d="M0 0h1v2h-1zM3 0h1v2h-1z" fill="#112233"/>' +
        '<g transform="translate(5 0)"><clipPath id="c1"><path d="M0 0h4v4h-4z"/></clipPath><g clip-path="url(#c1)">' +
        '<path d="M0 0h1v1h-1z" fill="#ff0000" opacity="0.5"/></g></g>' +
        '<path d="M0 0h1v1h-1z" fill="#112233"/><g transform="translate(1 1)"></g></svg>\n',
    );
  });
});
