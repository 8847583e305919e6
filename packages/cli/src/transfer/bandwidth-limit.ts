import { setTimeout as wait } from 'node:timers/promises'
import type { Source } from '@tideport/sdk'
import type { ReadContents } from '../private/read-contents.ts'
import { UsageError } from '../terminal/failures.ts'

export const bwlimitOption = {
  type: 'string',
  value: 'RATE',
  summary: 'Total bytes per second, such as 500K, 2M, or 1.5M; K is 1,024 (default: no limit)',
} as const

export interface Pace {
  take(bytes: number, signal: AbortSignal): Promise<void>
}

const RATE_MIN = 1024

/** Bytes per second. Throws a `UsageError`. */
export function parseRate(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(?:([KMGT])(?:i?B)?|B)?$/i.exec(text) ?? []
  const rate = Number(number) * 1024 ** ('KMGT'.indexOf(unit.toUpperCase()) + (unit === '' ? 0 : 1))
  if (number !== undefined && rate >= RATE_MIN) return Math.floor(rate)
  throw new UsageError('--bwlimit needs bytes per second, at least 1K, such as 500K, 2M, or 1.5M')
}

/** Null without a limit. Idle time is not credited, so the rate never exceeds the limit afterwards. */
export function openPace(limit: string | undefined): Pace | null {
  if (limit === undefined) return null
  const rate = parseRate(limit)
  let free = performance.now()
  return {
    async take(bytes, signal) {
      free = Math.max(free, performance.now()) + (bytes / rate) * 1000
      await pause(free - performance.now(), signal)
    },
  }
}

/** Waits before bytes are read, when no request deadline runs. */
export function paceSource<S extends Source>(source: S, pace: Pace | null, signal: AbortSignal): S {
  if (!pace) return source
  const slice: Source['slice'] = async (start, end) => {
    await pace.take(end - start, signal)
    return await source.slice(start, end)
  }
  return { ...source, slice }
}

/** A paused stream is not stalled, because no deadline runs during the wait. */
export function paceContents(contentsOf: ReadContents, pace: Pace | null): ReadContents {
  if (!pace) return contentsOf
  return async (file) => {
    const contents = await contentsOf(file)
    return {
      ...contents,
      open: async (from, signal) => paced(await contents.open(from, signal), pace, signal),
    }
  }
}

async function* paced(chunks: AsyncIterable<Uint8Array>, pace: Pace, signal: AbortSignal) {
  for await (const chunk of chunks) {
    await pace.take(chunk.length, signal)
    yield chunk
  }
}

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
}
