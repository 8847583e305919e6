export interface Timings {
  time<T>(step: string, column: string, work: () => Promise<T>): Promise<T>
  table(): string
}

export function createTimings(): Timings {
  const rows = new Map<string, Map<string, number>>()
  const columns = new Set<string>()
  return {
    async time(step, column, work) {
      const startedAt = performance.now()
      const result = await work()
      const row = rows.get(step) ?? new Map<string, number>()
      row.set(column, performance.now() - startedAt)
      rows.set(step, row)
      columns.add(column)
      return result
    },
    table() {
      const header = ['', ...columns]
      const lines = [...rows].map(([step, row]) => [step, ...[...columns].map((column) => duration(row.get(column)))])
      const widths = header.map((_, index) => Math.max(...[header, ...lines].map((cells) => cells[index]?.length ?? 0)))
      const format = (cells: string[]) =>
        cells
          .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
          .join('   ')
      return [header, widths.map((width) => '─'.repeat(width)), ...lines].map(format).join('\n')
    },
  }
}

function duration(ms: number | undefined): string {
  if (ms === undefined) return '–'
  return ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`
}
