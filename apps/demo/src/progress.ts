/** On a terminal, one line that is overwritten. Elsewhere, lines for slow transfers only. */
export interface Progress {
  advance(doneBytes: number): void
  finish(): void
}

const TERMINAL_MS = 100
const LINES_MS = 5_000

export function startProgress(label: string, totalBytes: number, out: NodeJS.WriteStream): Progress {
  const intervalMs = out.isTTY ? TERMINAL_MS : LINES_MS
  let toldAt = performance.now()
  return {
    advance(doneBytes) {
      if (performance.now() - toldAt < intervalMs) return
      toldAt = performance.now()
      const percent = totalBytes === 0 ? 100 : Math.floor((doneBytes / totalBytes) * 100)
      const line = `    ${label}: ${percent} % of ${readableBytes(totalBytes)}`
      out.write(out.isTTY ? `\r\x1b[K${line}` : `${line}\n`)
    },
    finish() {
      if (out.isTTY) out.write('\r\x1b[K')
    },
  }
}

/** `1536` → `1.5 KiB`. */
export function readableBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`
}
