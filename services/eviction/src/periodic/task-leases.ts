import type { Worker } from '@tideport/file-lifecycle/process/open-context'
import { type Turn, takeTurn } from '@tideport/file-lifecycle/state/serialize'
import { every } from '@tideport/service-kit/process/every'

const LEASE_SECONDS = 10
const RENEW_MS = 3000

export interface Host extends AsyncDisposable {
  isOurs(): boolean
}

type Deps = Pick<Worker, 'db' | 'log' | 'signal'> & { periodicTaskProcesses: number }

/**
 * Calls `onTaken` each time this process becomes a host. Tasks in progress continue after the lease is lost, because
 * each task claims its rows.
 */
export function hostTasks({ db, log, signal, periodicTaskProcesses }: Deps, onTaken: () => void): Host {
  let turn: Turn | null = null
  let until = 0
  const isOurs = () => performance.now() < until

  async function takeAny(): Promise<Turn | null> {
    for (let place = 1; place <= periodicTaskProcesses; place++) {
      const taken = await takeTurn(db, `periodic tasks ${place}`, LEASE_SECONDS)
      if (taken) return taken
    }
    return null
  }

  async function hold(): Promise<void> {
    const wasOurs = isOurs()
    // The local lease begins before the statement, so it expires first.
    let askedAt = performance.now()
    if (turn === null || !(await turn.renew())) {
      askedAt = performance.now()
      turn = await takeAny()
    }
    until = turn === null ? 0 : askedAt + LEASE_SECONDS * 1000
    if (wasOurs || !isOurs()) return
    log.info({}, 'this process runs the periodic tasks')
    onTaken()
  }

  const holding = every(RENEW_MS, 'renew the lease of periodic tasks', hold, { log, signal })
  return {
    isOurs,
    async [Symbol.asyncDispose]() {
      await holding[Symbol.asyncDispose]()
      // Without Postgres the lease expires.
      await turn?.end().catch(() => undefined)
    },
  }
}
