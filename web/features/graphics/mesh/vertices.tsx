import type { Signal } from '@preact/signals';
import { formatCount } from '../../../base/format.ts';
import { type Column, Table } from '../../../parts/table.tsx';
import type { Mesh } from '../mesh.ts';
import { textOf, type VertexColumn } from '../mesh_outputs.ts';

/** The vertices of a draw in its order. The one that is selected stands out in the wireframe. */
export function Vertices({
  mesh,
  columns: shown,
  marked,
}: {
  mesh: Mesh;
  columns: readonly VertexColumn[];
  marked: Signal<number>;
}) {
  const columns: readonly Column<number>[] = [
    {
      title: '#',
      says: 'Position in the order of the draw',
      class: 'mesh-count',
      cell: (row) => formatCount(row),
      look: () => ({ class: 'muted' }),
      value: (row) => row,
    },
    {
      title: 'Vertex',
      class: 'mesh-count',
      cell: (row) => formatCount(mesh.order[row]!),
      value: (row) => mesh.order[row]!,
    },
    ...shown.map((column): Column<number> => {
      const text = (row: number) => textOf(column, mesh.order[row]!);
      return {
        title: column.title,
        says: column.says,
        cell: (row) => text(row) || '–',
        look: (row) => ({ title: text(row) }),
        // By the first of its numbers.
        value: (row) => column.numbers(mesh.order[row]!)?.[0] ?? null,
      };
    }),
  ];
  return (
    <div class="mesh-vertices">
      <Table
        label="Vertices"
        id="vertex"
        minWidth={`${130 + 190 * shown.length}px`}
        count={mesh.order.length}
        row={(number) => number}
        columns={columns}
        columnsOf={shown.map(({ title }) => title).join(' ')}
        sorts={mesh}
        narrowedBy={[mesh]}
        current={marked.value}
        choose={(row) => {
          marked.value = row;
        }}
      />
    </div>
  );
}
