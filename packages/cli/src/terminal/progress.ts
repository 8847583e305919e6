import { formatBytes, formatCount, formatSeconds } from './amounts.ts'
import type { Output } from './output.ts'
import { visible } from './visible.ts'

const LINES_MAX = 6

export interface Progress {
  /** Bytes transferred so far. */
  moved(name: string, bytes: number, size: number): void
  /** Marks a file as finished; `bytes` are its bytes in the total, whether or not they were transferred. */
  over(name: string, bytes: number): void
  end(): void
}

export function showProgress(output: Output, totals: { files: number; bytes: number }): Progress {
  const underWay = new Map<string, { bytes: number; size: number }>()
  const begun = performance.now()
  let files = 0
  let doneBytes = 0
  let movedBytes = 0
  let drawn = 0

  function erase() {
    if (drawn > 0) output.stderr.write(`\x1b[${drawn}A\x1b[0J`)
    drawn = 0
  }

  function draw() {
    erase()
    const width = Math.max(20, ((output.stderr as { columns?: number }).columns ?? 80) - 1)
    const lines = [...fileLines(underWay), overall()].map((line) => Array.from(visible(line)).slice(0, width).join(''))
    output.stderr.write(`${lines.join('\n')}\n`)
    drawn = lines.length
  }

  function overall(): string {
    const sum = doneBytes + [...underWay.values()].reduce((bytes, file) => bytes + file.bytes, 0)
    const rate = movedBytes / Math.max(0.5, (performance.now() - begun) / 1000)
    const left = rate > 0 ? `, ${formatSeconds((totals.bytes - sum) / rate)} left` : ''
    const count = `${files.toLocaleString('en')} of ${formatCount(totals.files, 'file')}`
    return `${count}, ${formatBytes(sum)} of ${formatBytes(totals.bytes)}, ${formatBytes(rate)}/s${left}`
  }

  const timer = output.isWatched ? setInterval(draw, 200) : undefined
  if (output.isWatched) output.drawBelow({ erase })
  return {
    moved(name, bytes, size) {
      movedBytes += Math.max(0, bytes - (underWay.get(name)?.bytes ?? 0))
      underWay.set(name, { bytes, size })
    },
    over(name, bytes) {
      underWay.delete(name)
      files++
      doneBytes += bytes
    },
    end() {
      clearInterval(timer)
      erase()
      output.drawBelow(null)
    },
  }
}

function fileLines(underWay: Map<string, { bytes: number; size: number }>): string[] {
  return [...underWay].slice(0, LINES_MAX).map(([name, { bytes, size }]) => {
    const percent = size > 0 ? Math.floor((bytes / size) * 100) : 100
    return `${String(percent).padStart(3)} %  ${formatBytes(size).padStart(7)}  ${name}`
  })
}

export function showCount(output: Output) {
  let isDrawn = false
  function erase() {
    if (isDrawn) output.stderr.write('\x1b[1A\x1b[0J')
    isDrawn = false
  }
  if (output.isWatched) output.drawBelow({ erase })
  return {
    show(text: string): void {
      if (!output.isWatched) return
      erase()
      output.stderr.write(`${visible(text)}\n`)
      isDrawn = true
    },
    end(): void {
      erase()
      output.drawBelow(null)
    },
  }
}
