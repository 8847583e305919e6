import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { visibleJson, visibleLines } from './visible.ts'

export interface OutputOptions {
  stdout: Writable
  stderr: Writable & { isTTY?: boolean }
  json: boolean
  quiet: boolean
}

/** Writes results to stdout as text or JSON lines, and remarks to stderr. Names cannot move a terminal's cursor. */
export function openOutput({ stdout, stderr, json, quiet }: OutputOptions) {
  let below: { erase(): void } | null = null

  async function write(chunk: string | Uint8Array): Promise<void> {
    // Waits for a slow reader, because lists may be long.
    if (stdout.write(chunk)) return
    const over = new AbortController()
    const either = ['drain', 'close'].map((event) => once(stdout, event, { signal: over.signal }))
    await Promise.race(either).finally(() => over.abort())
  }

  return {
    json,
    quiet,
    stderr,
    /** One result as a value and as text. A name in it cannot start a new line. */
    async result(value: object, text: string | readonly string[]): Promise<void> {
      below?.erase()
      await write(json ? `${visibleJson(value)}\n` : `${visibleLines(text)}\n`)
    },
    text: (text: string) => write(text.endsWith('\n') ? text : `${text}\n`),
    bytes: (chunk: Uint8Array) => write(chunk),
    remark(text: string | readonly string[]): void {
      if (quiet) return
      below?.erase()
      stderr.write(`${visibleLines(text)}\n`)
    },
    /** Errors, also printed with `--quiet`. */
    complaint(text: string | readonly string[]): void {
      below?.erase()
      stderr.write(`${visibleLines(text)}\n`)
    },
    error(report: object): void {
      below?.erase()
      stderr.write(`${visibleJson(report)}\n`)
    },
    isWatched: !json && !quiet && stderr.isTTY === true,
    drawBelow(drawn: { erase(): void } | null): void {
      below = drawn
    },
  }
}

export type Output = ReturnType<typeof openOutput>
