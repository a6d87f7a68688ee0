import type { Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { formatCount, formatNumber } from '../../base/format.ts';
import type { Mesh } from '../../model/mesh.ts';
import { rowsByKey, Spacer, scrollToRow, TABLE_ROW, useShownRows } from '../panels/virtual_rows.tsx';

/** Rows that a browser can lay out. */
const MOST_ROWS = 1_000_000;

/** The vertices of a draw in its order. The one that is selected stands out in the wireframe. */
export function Vertices({ mesh, marked }: { mesh: Mesh; marked: Signal<number> }) {
  const box = useRef<HTMLDivElement>(null);
  const count = Math.min(mesh.order.length, MOST_ROWS);
  const { first, end, page, onScroll } = useShownRows(box, count);
  const columns = mesh.inputs.length + 2;
  const onKey = (event: KeyboardEvent) => {
    const step = rowsByKey(event, count, page);
    if (event.target !== event.currentTarget || step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(count - 1, marked.value < 0 ? 0 : marked.value + step));
    marked.value = next;
    scrollToRow(box.current!, next);
  };
  return (
    <div class="mesh-vertices">
      <div class="table" ref={box} onScroll={onScroll}>
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows can be selected.
          role="grid"
          aria-label="Vertices"
          aria-rowcount={count + 1}
          aria-activedescendant={marked.value >= first && marked.value < end ? `vertex-${marked.value}` : undefined}
          tabIndex={0}
          onKeyDown={onKey}
          style={{ minWidth: `${130 + 190 * mesh.inputs.length}px` }}
        >
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col" class="mesh-count" title="Place in the order of the draw">
                #
              </th>
              <th scope="col" class="mesh-count">
                Vertex
              </th>
              {mesh.inputs.map(({ input }) => (
                <th key={input.title} scope="col" title={input.divisor > 0 ? 'Of the first instance' : undefined}>
                  {input.title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Spacer rows={first} columns={columns} />
            {Array.from({ length: Math.max(0, end - first) }, (_, k) => first + k).map((row) => (
              <tr
                key={row}
                id={`vertex-${row}`}
                aria-rowindex={row + 2}
                aria-selected={row === marked.value}
                style={{ height: `${TABLE_ROW}px` }}
                onClick={() => {
                  marked.value = row;
                }}
              >
                <td class="muted">{formatCount(row)}</td>
                <td>{formatCount(mesh.order[row]!)}</td>
                {mesh.inputs.map(({ input, at }) => {
                  const numbers = [...(at(mesh.order[row]!) ?? [])].map(formatNumber).join(', ');
                  return (
                    <td key={input.title} title={numbers}>
                      {numbers || '–'}
                    </td>
                  );
                })}
              </tr>
            ))}
            <Spacer rows={count - end} columns={columns} />
          </tbody>
        </table>
      </div>
      {mesh.order.length > count && <p class="mesh-remark">The table has the first {formatCount(count)} vertices.</p>}
    </div>
  );
}
