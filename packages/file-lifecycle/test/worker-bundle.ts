import { mkdir, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createCircuits } from '@tideport/service-kit/process/circuit'
import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import { createNetworkDirectory } from '@tideport/testing/network-directory'
import type { TestBucket } from '@tideport/testing/s3'
import { waitFor } from '@tideport/testing/wait-for'
import { type ProveDeps, proveCopy } from '../src/copies/prove-copy.ts'
import { type StoreDeps, storeCopy } from '../src/copies/store-copy.ts'
import { markCopyFailed } from '../src/state/copy-transitions.ts'
import { copyOn, withCopies } from '../src/state/file-copies.ts'
import type { FailureCode } from '../src/state/state.ts'
import type { CopyRow, FileRow } from '../src/state/tables.ts'
import { claimFor } from '../src/work/claim-step.ts'
import { handleJob, type OfCopy, type OfFile } from '../src/work/handle-job.ts'
import { log, must, never, setup } from './bundle.ts'
import { embedded, openTestNetworks } from './set-up-network.ts'

interface Options {
  settings?: TestBucket['settings']
  /** Names of embedded networks, each with its own directory. All are required. */
  networkNames?: readonly string[]
}

/** The dependencies of a worker's handlers: the upload bundle, embedded networks that can fail, and circuits. */
export async function setupWorker({ settings, networkNames = ['embedded'] }: Options = {}) {
  const stack = new AsyncDisposableStack()
  const t = stack.use(await setup({ ...(settings && { settings }), networkNames }))
  const directories = new Map<string, Awaited<ReturnType<typeof createNetworkDirectory>>>()
  for (const name of networkNames) directories.set(name, stack.use(await createNetworkDirectory()))
  const directoryOf = (name: string) => must(directories.get(name))
  const networks = await openTestNetworks(
    t.db,
    networkNames.map((name) => embedded(name, directoryOf(name).path)),
  )
  const [first = ''] = networkNames
  const network = must(networks.get(first))
  const open = createCircuits({ log, metrics: createMetrics('test'), signal: never })
  const probe = (signal: AbortSignal) => Promise.all([network.health(signal), t.hotTier.health('thoroughly')])
  const circuit = stack.use(open('test', probe))
  const asideOf = (name: string) => `${directoryOf(name).path}.aside`
  stack.defer(async () => {
    for (const name of networkNames) await rm(asideOf(name), { recursive: true, force: true })
  })

  /** No process may have re-created the directory. */
  async function bringNetworkUp(name = first) {
    await rmdir(directoryOf(name).path)
    await rename(asideOf(name), directoryOf(name).path)
  }

  const { db, writes, batching } = t
  const jobDeps = () => ({ db, writes, batching, circuit, relay: { wake: () => {} }, log, noteAttempt: () => {} })
  const storeDeps: StoreDeps = {
    ...{ db, writes, hotTier: t.hotTier, networks, log },
    ...{ syncAttemptsMax: 3, syncRetryBaseSeconds: 60, hotRetentionSeconds: 0, settleSeconds: 60 },
  }
  const proveDeps: ProveDeps = {
    ...{ db, writes, networks, log },
    ...{ evictionRetryBaseSeconds: 60, copyCheckSeconds: 3600, settleSeconds: 60 },
  }
  const read = async (fileId: string) => must(await t.db.selectFrom('file').selectAll().where('id', '=', fileId).executeTakeFirst()) // biome-ignore format: one chain
  const found = async (fileId: string) => await withCopies(t.db, await read(fileId))
  const assign = (fileId: string, assignments: string) =>
    t.database.sql(`update file set ${assignments} where id = $1`, [fileId])
  const assignCopies = (fileId: string, assignments: string) =>
    t.database.sql(`update copy set ${assignments} where file_id = $1`, [fileId])

  const copyOf = async (file: Pick<FileRow, 'id'>, name: string) => must(copyOn(await found(file.id), name))
  const pathOf = async (file: Pick<FileRow, 'id'>, name: string) => {
    const { blobId, reference } = await copyOf(file, name)
    return join(directoryOf(name).path, must(blobId), reference)
  }

  /** A separate worker for the copies on one network. It handles the job of a file without a message. */
  const copyWorker = <Outcome extends string>(step: OfCopy<Outcome>, name = first) => {
    const handle = handleJob(jobDeps(), step)
    return (file: Pick<FileRow, 'id'>, signal = never) => handle({ fileId: file.id, network: name }, { signal })
  }
  const store = (file: Pick<FileRow, 'id'>, name = first) =>
    copyWorker(storeCopy(storeDeps, must(networks.get(name))), name)(file)
  const prove = (file: Pick<FileRow, 'id'>, name = first) =>
    copyWorker(proveCopy(proveDeps, must(networks.get(name))), name)(file)

  return {
    ...t,
    directory: directoryOf(first),
    directoryOf,
    dirs: Object.fromEntries(networkNames.map((name) => [name, { dir: directoryOf(name).path }])),
    network,
    networks,
    networkOf: (name: string) => must(networks.get(name)),
    circuit,
    storeDeps,
    proveDeps,
    copyWorker,
    /** A separate worker for files. */
    fileWorker<Outcome extends string>(step: OfFile<Outcome>) {
      const handle = handleJob(jobDeps(), step)
      return (file: Pick<FileRow, 'id'>, signal = never) => handle({ fileId: file.id }, { signal })
    },
    store,
    prove,
    read,
    /** The row of the file's copy. */
    copy: (file: Pick<FileRow, 'id'>, name = first): Promise<CopyRow> => copyOf(file, name),
    /** Deletes this copy from the network, which stays available. */
    hideCopy: async (file: Pick<FileRow, 'id'>, name = first) =>
      await rename(await pathOf(file, name), `${await pathOf(file, name)}.hidden`),
    showCopy: async (file: Pick<FileRow, 'id'>, name = first) =>
      await rename(`${await pathOf(file, name)}.hidden`, await pathOf(file, name)),
    /** Flips a bit of a copy, as a failing disk does. */
    async spoilCopy(file: Pick<FileRow, 'id'>, name = first): Promise<void> {
      const { blobId, reference } = await copyOf(file, name)
      await directoryOf(name).corrupt(`${blobId}/${reference}`, 2)
    },
    /** The events of the file for subscribers. */
    statusEvents: async (file: Pick<FileRow, 'id'>) =>
      (await t.events(file.id)).filter((type) => ['file.hot', 'file.synced', 'file.cold', 'file.error'].includes(type)),
    found,
    /** A file after sync, stored on every network, without retention. */
    async syncedFile(body = 'hello', owner: Parameters<typeof t.hotFile>[1] = {}): Promise<FileRow> {
      const { id } = await t.hotFile(body, owner)
      for (const name of networkNames) await store({ id }, name)
      return await read(id)
    },
    /** The same with proved copies, due for eviction. */
    async provedFile(body = 'hello', owner: Parameters<typeof t.hotFile>[1] = {}): Promise<FileRow> {
      const { id } = await this.syncedFile(body, owner)
      for (const name of networkNames) await prove({ id }, name)
      return await read(id)
    },
    /** A file whose copy failed permanently. A hot file is in error if no other copy exists or is planned. */
    async giveUp({ id }: Pick<FileRow, 'id'>, code: FailureCode, name = first): Promise<FileRow> {
      const claimed = must(await claimFor(t.writes, { fileId: id, network: name }, 'store'))
      return must(await markCopyFailed(t.db, claimed, networks, code))
    },
    /** Changes rows in ways that no production code does. */
    assign,
    assignCopies,
    /** Makes eviction due now. Checks of copies keep their times. */
    makeDueForEviction: (file: Pick<FileRow, 'id'>) => assign(file.id, 'claimed_until = null, evict_due_at = now()'),
    /** Makes rows of dead or waiting workers due now, so tests need not wait for claims and delays. */
    async makeDue(fileId: string) {
      await assign(
        fileId,
        `claimed_until = null, evict_due_at = case when evict_due_at is not null then now() end,
         rehydrate_due_at = case when rehydrate_due_at is not null then now() end`,
      )
      await assignCopies(fileId, 'claimed_until = null, due_at = case when due_at is not null then now() end')
    },
    /** Resets the networks to available and empty, and closes the circuit. */
    async startOver(): Promise<void> {
      for (const name of networkNames) await bringNetworkUp(name).catch(() => {})
      await waitFor(() => circuit.isClosed(), { what: 'the circuit to close' })
      for (const name of networkNames) await directoryOf(name).empty()
      await t.startOver()
    },
    /** Replaces the directory with an empty one, like an unmounted volume. */
    async takeNetworkDown(name = first) {
      await rename(directoryOf(name).path, asideOf(name))
      await mkdir(directoryOf(name).path)
    },
    bringNetworkUp,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

export type WorkerBundle = Awaited<ReturnType<typeof setupWorker>>
