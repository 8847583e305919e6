import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../telemetry/logger.ts'
import { endProcess } from './end-process.ts'

const LOOK_MS = 50

export interface UnderWay {
  /** Called when the process begins to stop. */
  begin(): void
  count(): number
  /** How long the work may continue after the process begins to stop. */
  drainSeconds: number
  /** Aborts all remaining work. */
  cut(): void
}

export interface StopLimit {
  /** Time until the process exits, if the exit is not postponed further. */
  leftMs(): number
}

/**
 * Exits with 1 after `shutdownSeconds`. Work in progress postpones the exit, so that half of that time remains after
 * the work.
 */
export function limitStop(shutdownSeconds: number, underWay: readonly UnderWay[], log: Log): StopLimit {
  const startedAt = performance.now()
  const restMs = (shutdownSeconds * 1000) / 2
  const cutAt = startedAt + Math.max(...underWay.map(({ drainSeconds }) => drainSeconds * 1000), restMs)
  let endsAt = startedAt + shutdownSeconds * 1000
  for (const work of underWay) work.begin()

  async function watch(): Promise<void> {
    let isWaiting = false
    for (let now = startedAt; now < endsAt; now = performance.now()) {
      const count = underWay.reduce((sum, work) => sum + work.count(), 0)
      if (count > 0 && now >= cutAt) {
        log.warn({ count }, 'cutting the responses that are still in progress')
        for (const work of underWay) work.cut()
      } else if (count > 0 && now + restMs > endsAt) {
        if (!isWaiting) log.info({ count }, 'stopping, except for responses in progress')
        isWaiting = true
        endsAt = now + restMs
      }
      await delay(LOOK_MS, undefined, { ref: false })
    }
    log.fatal({ shutdownSeconds }, 'stop took too long')
    await endProcess(1, log)
  }
  void watch()
  return { leftMs: () => endsAt - performance.now() }
}
