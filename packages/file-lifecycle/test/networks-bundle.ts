import { readdir } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { createNetworkDirectory } from '@tideport/testing/network-directory'
import { checkCopies } from '../src/copies/check-copies.ts'
import { dropCopies } from '../src/copies/drop-copies.ts'
import type { NetworkRole, NetworkSettings } from '../src/copies/network-settings.ts'
import { openBytes } from '../src/copies/open-bytes.ts'
import { proveCopy } from '../src/copies/prove-copy.ts'
import { sweepFiles } from '../src/copies/reconcile-sweep.ts'
import { renewLeases } from '../src/copies/renew-leases.ts'
import { storeCopy } from '../src/copies/store-copy.ts'
import { createEvictionRate, evictFile } from '../src/evict/evict-file.ts'
import { rehydrateFile } from '../src/rehydrate/rehydrate-file.ts'
import { purgeFile } from '../src/removal/purge-file.ts'
import type { FileRow } from '../src/state/tables.ts'
import { log, must, never } from './bundle.ts'
import { embedded, openTestNetworks } from './set-up-network.ts'
import { setupWorker } from './worker-bundle.ts'

type Id = Pick<FileRow, 'id'>

/** A worker's bundle on several networks with a changeable configuration. */
export async function setupNetworks(...networkNames: string[]) {
  const stack = new AsyncDisposableStack()
  const t = stack.use(await setupWorker({ networkNames }))
  const { startOver } = t
  const added = new Map<string, Awaited<ReturnType<typeof createNetworkDirectory>>>()
  async function directoryFor(name: string): Promise<string> {
    if (networkNames.includes(name)) return t.directoryOf(name).path
    const directory = added.get(name) ?? stack.use(await createNetworkDirectory())
    added.set(name, directory)
    return directory.path
  }

  /** Separate processes with this configuration. Networks are embedded unless other settings are given. */
  async function configure(roles: Record<string, NetworkRole>, given: Record<string, NetworkSettings> = {}) {
    const settings = Object.entries(roles).map(async ([name, role]) => {
      const other = given[name]
      return other ? { ...other, role } : embedded(name, await directoryFor(name), role)
    })
    const networks = await openTestNetworks(t.db, await Promise.all(settings))
    const common = { ...t.proveDeps, networks, hotTier: t.hotTier, circuit: t.circuit, log }
    const of = (name: string) => must(networks.get(name))
    const limits = { downloadUrlSeconds: 0, clockSkewSeconds: 0, evictionDryRun: false }
    const evict = t.fileWorker(evictFile({ ...common, ...limits, rate: createEvictionRate(t.db, 600) }))
    const c = {
      networks,
      store: (file: Id, name: string) => t.copyWorker(storeCopy({ ...t.storeDeps, networks }, of(name)), name)(file),
      prove: (file: Id, name: string) => t.copyWorker(proveCopy(common, of(name)), name)(file),
      rehydrate: t.fileWorker(rehydrateFile({ ...t.storeDeps, networks })),
      renew: (name: string) => renewLeases(common, of(name), never),
      /** `meanwhile` runs just before a copy is read. */
      check(name: string, meanwhile: () => Promise<unknown> = async () => {}) {
        const network = of(name)
        const prove: typeof network.prove = async (...args) => {
          await meanwhile()
          return await network.prove(...args)
        }
        return checkCopies({ ...common, copyCheckBytesPerSecond: 1024 ** 3 }, { ...network, prove }, never)
      },
      drop: (name: string) => dropCopies(common, of(name), never),
      walk: () => sweepFiles({ ...common, copyWalkSeconds: 3600 }, never),
      async evict(file: Id): Promise<void> {
        await t.makeDueForEviction(file)
        await evict(file)
      },
      /** One pass of a purge. */
      purge: (file: Id) => purgeFile({ ...common }, file.id, never),
      /** The bytes of a download of the file. */
      async bytesOf({ id }: Id): Promise<string> {
        return (await buffer((await openBytes(common, await t.found(id), undefined, never)).bytes)).toString()
      },
      /** Stored and proved on all required networks, without hot bytes. */
      async coldFile(body = 'hello'): Promise<FileRow> {
        const file = await t.hotFile(body)
        for (const name of networks.required) await c.store(file, name)
        for (const name of networks.required) await c.prove(file, name)
        await c.evict(file)
        await c.evict(file)
        const cold = await t.read(file.id)
        if (cold.status !== 'cold') throw new Error(`The file is ${cold.status}`)
        return cold
      },
    }
    return c
  }

  return Object.assign(t, {
    configure,
    directoryFor,
    async startOver() {
      await startOver()
      for (const directory of added.values()) await directory.empty()
    },
    /** The files of a network's directory, except its own metadata. */
    async blobsOn(name: string): Promise<string[]> {
      return (await readdir(await directoryFor(name))).filter((entry) => entry.startsWith('baf'))
    },
    states: async ({ id }: Id) =>
      Object.fromEntries((await t.found(id)).copies.map(({ network, state }) => [network, state])),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  })
}

export type NetworksBundle = Awaited<ReturnType<typeof setupNetworks>>
export type Configured = Awaited<ReturnType<NetworksBundle['configure']>>

/**
 * Reads the file repeatedly until it is stopped. Returns the number of reads. Any other result fails.
 */
export function keepReading({ bytesOf }: Configured, file: Id, body: string) {
  let isOver = false
  const reading = (async () => {
    let reads = 0
    do {
      if ((await bytesOf(file)) !== body) throw new Error('These are other bytes')
      reads += 1
    } while (!isOver)
    return reads
  })()
  // `stop` reports the failure.
  reading.catch(() => undefined)
  return async (): Promise<number> => {
    isOver = true
    return await reading
  }
}
