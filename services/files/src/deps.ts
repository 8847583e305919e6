import type { FilesContext } from '@tideport/file-lifecycle/process/open-context'
import type { ShownStatistics } from '@tideport/repair/statistics/show-statistics'
import type { HttpServerOptions } from '@tideport/service-kit/http/http-server'
import { createKeyByteQuota } from './calls/key-byte-quota.ts'
import { createSlowCalls } from './calls/slow-calls.ts'
import type { FilesConfig } from './config.ts'
import { capStreams } from './downloads/cap-streams.ts'
import { createAnnounce } from './files/announce-work.ts'
import { createPurgeNow } from './files/purge-now.ts'
import { createBeginJobs } from './jobs/begin-jobs.ts'
import { createUploadMemory } from './uploads/upload-memory.ts'
import { createAccountOpener } from './vaults/default-vault.ts'

type Used = 'db' | 'batching' | 'writes' | 'hotTier' | 'networks' | 'jobs'

export interface AppDeps extends Omit<HttpServerOptions, 'routes'>, Pick<FilesContext, Used> {
  config: FilesConfig
  relay: Pick<FilesContext['relay'], 'wake'>
  statistics: Pick<ShownStatistics, 'find'>
}

/**
 * Dependencies that several resources share, created once per process. Each resource picks those that its `Deps` name.
 */
export function shareDeps(app: AppDeps) {
  const { config, db, batching } = app
  return {
    ...app,
    ...capStreams(app),
    ...createUploadMemory(app),
    openAccount: createAccountOpener(db),
    slowCalls: createSlowCalls({
      perAccount: config.slowCallsPerAccountMax,
      runningMax: Math.ceil(config.databasePoolSize / 2),
    }),
    takeBytes: createKeyByteQuota(db, batching),
    purgeNow: createPurgeNow({ ...config, ...app }),
    beginJobs: createBeginJobs({ ...config, ...app }),
    announce: createAnnounce(app),
  }
}
