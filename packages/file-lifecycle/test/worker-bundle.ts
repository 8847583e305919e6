import { mkdir, rename, rm, rmdir } from 'node:fs/promises'
import { createCircuit } from '@tideport/service-kit/process/circuit'
import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import { createNetworkDirectory } from '@tideport/testing/network-directory'
import type { TestBucket } from '@tideport/testing/s3'
import type { FileRow } from '../src/state/tables.ts'
import { handleJob, type Step } from '../src/work/handle-job.ts'
import { log, must, never, setup } from './bundle.ts'
import { setUpNetwork } from './set-up-network.ts'

/** What a worker's handler needs: the bundle of uploads, an embedded network that can go down, a circuit. */
export async function setupWorker(store?: { settings: TestBucket['settings'] }) {
  const stack = new AsyncDisposableStack()
  const t = stack.use(await setup(store))
  const directory = stack.use(await createNetworkDirectory())
  const network = await setUpNetwork(t.db, directory.path)
  const probe = (signal: AbortSignal) => Promise.all([network.health(signal), t.hotTier.health()])
  const circuit = stack.use(createCircuit({ probe, log, metrics: createMetrics('test'), signal: never }))
  const aside = `${directory.path}.aside`
  stack.defer(() => rm(aside, { recursive: true, force: true }))

  const read = async (fileId: string) => must(await t.db.selectFrom('file').selectAll().where('id', '=', fileId).executeTakeFirst()) // biome-ignore format: one chain
  const assign = (fileId: string, assignments: string) =>
    t.database.sql(`update file set ${assignments} where id = $1`, [fileId])

  return {
    ...t,
    directory,
    network,
    circuit,
    /** A worker of its own: handles the job of a file, as if its message had just come. */
    worker<Outcome extends string>(...steps: Step<Outcome>[]) {
      const deps = { db: t.db, circuit, relay: { wake: () => {} }, log, metrics: createMetrics('test') }
      const handle = handleJob(deps, ...steps)
      return (file: Pick<FileRow, 'id'>, signal = never) => handle({ fileId: file.id }, { signal })
    },
    read,
    /** Changes the row as no code of ours would. */
    assign,
    /** Lets what a dead or waiting worker left be due now: tests do not sit out claims and delays. */
    makeDue: (fileId: string) =>
      assign(
        fileId,
        `claimed_until = null, sync_due_at = case when sync_due_at is not null then now() end,
         evict_due_at = case when evict_due_at is not null then now() end`,
      ),
    /** The directory gives way to an empty one, like a volume that is not mounted. */
    async takeNetworkDown() {
      await rename(directory.path, aside)
      await mkdir(directory.path)
    },
    /** Nothing must have been made in its place. */
    async bringNetworkUp() {
      await rmdir(directory.path)
      await rename(aside, directory.path)
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

export type WorkerBundle = Awaited<ReturnType<typeof setupWorker>>
