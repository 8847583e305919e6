import { lose, proveCopy } from '@tideport/file-lifecycle/copies/prove-copy'
import { type StoreDeps, storeCopy } from '@tideport/file-lifecycle/copies/store-copy'
import { evictFile } from '@tideport/file-lifecycle/evict/evict-file'
import { rehydrateFile } from '@tideport/file-lifecycle/rehydrate/rehydrate-file'
import { beginDropping, markCopyFailed, markDropped } from '@tideport/file-lifecycle/state/copy-transitions'
import { copyOn, withCopies } from '@tideport/file-lifecycle/state/file-copies'
import { reloadFile } from '@tideport/file-lifecycle/state/queries'
import type { FailureCode } from '@tideport/file-lifecycle/state/state'
import { alone } from '@tideport/file-lifecycle/state/writes'
import { claimFor } from '@tideport/file-lifecycle/work/claim-step'
import { recordAttempt } from '@tideport/file-lifecycle/work/failures'
import { handleJob } from '@tideport/file-lifecycle/work/handle-job'
import { createCircuits } from '@tideport/service-kit/process/circuit'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import type { Bundle } from './bundle.ts'

const { signal } = new AbortController()

/** The handlers of the workers without their queues, so that the results are the same as in production. */
function workersOf({ db, batching, writes, hotTier, networks }: Bundle, { hotRetentionSeconds = 0 } = {}) {
  const stack = new AsyncDisposableStack()
  const log = createLogger({ service: 'workers', level: 'silent' })
  const open = createCircuits({ log, metrics: createMetrics('workers'), signal })
  const circuit = stack.use(open('workers', () => Promise.resolve()))
  const job = () => ({ db, batching, writes, circuit, relay: { wake: () => {} }, log, noteAttempt: () => {} })
  const settled = { settleSeconds: 60 }
  const storing: StoreDeps = {
    ...{ db, writes, hotTier, networks, log, ...settled },
    ...{ syncAttemptsMax: 3, syncRetryBaseSeconds: 60, hotRetentionSeconds },
  }
  const proving = { db, writes, networks, log, evictionRetryBaseSeconds: 60, copyCheckSeconds: 3600, ...settled }
  const evicting = {
    ...{
      db,
      writes,
      hotTier,
      networks,
      log,
      ...settled,
      rate: { hasRoom: () => true, take: () => Promise.resolve(0) },
    },
    ...{ downloadUrlSeconds: 0, clockSkewSeconds: 0, evictionRetryBaseSeconds: 60, evictionDryRun: false },
  }
  const ofAll = (names: readonly string[]) => names.flatMap((name) => networks.get(name) ?? [])
  return {
    store: async (fileId: string, names = networks.required) => {
      for (const network of ofAll(names)) {
        await handleJob(job(), storeCopy(storing, network))({ fileId, network: network.name }, { signal })
      }
    },
    prove: async (fileId: string) => {
      for (const network of ofAll(networks.required)) {
        await handleJob(job(), proveCopy(proving, network))({ fileId, network: network.name }, { signal })
      }
    },
    evict: (fileId: string) => handleJob(job(), evictFile(evicting))({ fileId }, { signal }),
    rehydrate: (fileId: string) => handleJob(job(), rehydrateFile(storing))({ fileId }, { signal }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Stores the file like sync. Default: on all networks. Returns the blob ID. */
export async function makeSynced(t: Bundle, fileId: string, names?: readonly string[]): Promise<string> {
  await using workers = workersOf(t)
  await workers.store(fileId, names)
  return await blobIdOf(t, fileId)
}

/** Stores the file and proves its copies. */
export async function makeProved(t: Bundle, fileId: string): Promise<string> {
  await using workers = workersOf(t)
  await workers.store(fileId)
  await workers.prove(fileId)
  return await blobIdOf(t, fileId)
}

/** Stores the file, proves its copies, and drops the hot object like eviction. */
export async function makeCold(t: Bundle, fileId: string): Promise<string> {
  await makeProved(t, fileId)
  await using workers = workersOf(t)
  for (const _ of ['begin', 'drop']) await workers.evict(fileId)
  await expectStatus(t, fileId, 'cold')
  return await blobIdOf(t, fileId)
}

/** Restores the bytes to the hot tier for a day. */
export async function makeRehydrated(t: Bundle, fileId: string): Promise<void> {
  await using workers = workersOf(t, { hotRetentionSeconds: 86_400 })
  await t.database.sql('update file set rehydrate_due_at = now(), version = version + 1 where id = $1', [fileId])
  await workers.rehydrate(fileId)
}

async function blobIdOf({ database }: Bundle, fileId: string): Promise<string> {
  const [copy] = await database.sql<{ blob_id: string }>(
    'select blob_id from copy where file_id = $1 and stored_at is not null order by network',
    [fileId],
  )
  if (copy === undefined) throw new Error('The file was not stored')
  return copy.blob_id
}

async function expectStatus({ database }: Bundle, fileId: string, status: string): Promise<void> {
  const [file] = await database.sql<{ status: string }>('select status from file where id = $1', [fileId])
  if (file?.status !== status) throw new Error(`The file is ${file?.status}, not ${status}`)
}

/** Fails sync of the only copy, once and then permanently, so that a hot file is in error. */
export async function giveUpStoring({ db, networks }: Bundle, fileId: string, code: FailureCode = 'sync_failed') {
  const [network = ''] = networks.required
  const claim = async () => {
    const claimed = await claimFor(alone(db), { fileId, network }, 'store')
    if (!claimed) throw new Error('Not claimed')
    return claimed
  }
  await recordAttempt(db, await claim(), { step: 'store', reason: 'hot_tier', delaySeconds: 0 })
  const failed = await markCopyFailed(db, await claim(), networks, code)
  if (failed === null) throw new Error('The copy did not fail permanently')
}

/** Marks a copy as lost, like a check of the network. */
export async function loseCopy({ db, networks }: Bundle, fileId: string, network: string) {
  const log = createLogger({ service: 'workers', level: 'silent' })
  await lose({ db, networks, log, settleSeconds: 60 }, await copyOf(db, fileId, network), 'absent')
}

/** Drops a copy, as when its network is removed. All other copies must be proved. */
export async function dropCopy({ db, networks }: Bundle, fileId: string, network: string) {
  const found = await copyOf(db, fileId, network)
  if (!(await beginDropping(db, found, networks, found.copy, { settleSeconds: 0 }))) throw new Error('Not let go')
  if (!(await markDropped(db, await copyOf(db, fileId, network)))) throw new Error('Not dropped')
}

async function copyOf(db: Bundle['db'], fileId: string, network: string) {
  const file = await reloadFile(db, fileId)
  const found = file && (await withCopies(db, file))
  const copy = found && copyOn(found, network)
  if (!copy) throw new Error('There is no such copy')
  return { ...found, copy }
}
