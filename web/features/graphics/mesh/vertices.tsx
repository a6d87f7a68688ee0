import type { Signal } from '@preact/signals';
import { codeNumber, formatCount } from '../../../base/format.ts';
import { type Column, Table } from '../../../parts/table.tsx';
import type { Mesh } from '../mesh.ts';

/** The vertices of a draw in its order. The one that is selected stands out in the wireframe. */
export function Vertices({ mesh, instance, marked }: { mesh: Mesh; instance: number; marked: Signal<number> }) {
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
    ...mesh.inputs.map(({ input, at }): Column<number> => {
      const numbers = (row: number) => [...(at(mesh.order[row]!, instance) ?? [])].map(codeNumber).join(', ');
      return {
        title: input.title,
        says: input.divisor > 0 ? 'Per instance' : undefined,
        cell: (row) => numbers(row) || '–',
        look: (row) => ({ title: numbers(row) }),
        // By the first of its numbers.
        value: (row) => at(mesh.order[row]!, instance)?.[0] ?? null,
      };
    }),
  ];
  return (
    <div class="mesh-vertices">
      <Table
        label="Vertices"
        id="vertex"
        minWidth={`${130 + 190 * mesh.inputs.length}px`}
        count={mesh.order.length}
        row={(number) => number}
        columns={columns}
        columnsOf={mesh.inputs.map(({ input }) => input.title).join(' ')}
        sorts={mesh}
        current={marked.value}
        choose={(row) => {
          marked.value = row;
        }}
      />
    </div>
  );
}
