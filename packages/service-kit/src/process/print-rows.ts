type Value = string | number | boolean | Date | null

export type Row = Readonly<Record<string, Value>>

export function createPrinter(print: (line: string) => void, { json }: { json: boolean }) {
  const rows: Row[] = []
  return {
    row: (row: Row): void => void (json ? print(JSON.stringify(row)) : rows.push(row)),
    [Symbol.dispose](): void {
      for (const line of formatTable(rows)) print(line)
    },
  }
}

export type Printer = ReturnType<typeof createPrinter>

function formatTable(rows: readonly Row[]): string[] {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cells = [columns, ...rows.map((row) => columns.map((column) => formatCell(row[column] ?? null)))]
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)))
  if (rows.length === 0) return []
  return cells.map((line) => line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ').trimEnd()) // biome-ignore format: one chain
}

/** Replaces control characters: a cell may contain untrusted names and errors, which must not break its line. */
function formatCell(value: Value): string {
  const text = value instanceof Date ? value.toISOString() : String(value ?? '-')
  return text.replaceAll(/\p{Cc}/gu, '\u{fffd}')
}
