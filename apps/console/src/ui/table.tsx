import type { ComponentChildren } from 'preact'

interface TableProps {
  label: string
  columns: readonly string[]
  rows: readonly (readonly [name: string, ...cells: ComponentChildren[]])[]
}

export function Table({ label, columns, rows }: TableProps) {
  return (
    <table class="table" aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, ...cells]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {cells.map((cell, index) => (
              <td key={index}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
