import { isNotYetMigrated } from '@tideport/service-kit/postgres/database-errors'
import { every, type PeriodicTask } from '@tideport/service-kit/process/every'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Kysely } from 'kysely'
import type { AuthDb } from '../tables.ts'
import { createFirstToken, setUpLink } from './set-up-token.ts'

const RETRY_MS = 1000

interface PrintDeps {
  db: Kysely<AuthDb>
  publicUrl: string | undefined
  log: Log
  signal: AbortSignal
}

/** Once, when the database is available: a warning, so that quiet logs have it too. */
export function printSetUpLink({ db, publicUrl, log, signal }: PrintDeps): PeriodicTask {
  let isDone = false
  const print = async () => {
    if (isDone) return
    try {
      const token = await createFirstToken(db)
      if (token !== null)
        log.warn({ setUpLink: setUpLink(publicUrl, token) }, 'no owner yet: open the link to set up this installation')
      isDone = true
    } catch (error) {
      if (!isNotYetMigrated(error)) throw error
    }
  }
  return every(() => (isDone ? 2 ** 31 - 1 : RETRY_MS), 'create the set-up token', print, { signal, log })
}
