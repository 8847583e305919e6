import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../telemetry/logger.ts'

const GRACE_MS = 500
const LOOK_MS = 10

/** At exit, Node waits for its threads. If an unresponsive disk blocks them, the process kills itself (ADR 0015). */
export async function endProcess(code: number, log: Log): Promise<never> {
  const until = performance.now() + GRACE_MS
  while (hasCallsUnderWay() && performance.now() < until) await delay(LOOK_MS)
  if (hasCallsUnderWay()) {
    log.fatal({ code }, 'system calls are blocked, killing the process')
    process.kill(process.pid, 'SIGKILL')
  }
  process.exit(code)
}

function hasCallsUnderWay(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq') || name.startsWith('GetAddrInfo'))
}
