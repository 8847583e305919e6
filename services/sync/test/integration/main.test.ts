import { jetstream } from '@nats-io/jetstream'
import { streams } from '@tideport/contracts/internal/streams'
import { withProcesses } from '@tideport/file-lifecycle/testing/processes'
import { setupWorker } from '@tideport/file-lifecycle/testing/worker-bundle'
import { startChaosProxy } from '@tideport/testing/chaos-proxy'
import { createBucket } from '@tideport/testing/s3'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'

const main = new URL('../../src/main.ts', import.meta.url)

async function setup(networkNames: string[]) {
  const stack = new AsyncDisposableStack()
  const { settings } = stack.use(await createBucket())
  const proxy = stack.use(await startChaosProxy({ port: Number(new URL(settings.endpoint).port) }))
  const store = { ...settings, endpoint: `http://127.0.0.1:${proxy.port}` }
  const t = stack.use(await withProcesses(main, await setupWorker({ settings, networkNames }), { store }))
  return {
    ...t,
    proxy,
    synced: (fileId: string) =>
      waitFor(async () => (await t.read(fileId)).status === 'synced', {
        what: 'the file to be synced',
        timeoutMs: 150_000,
      }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

const single = setUpOnce(() => setup(['embedded']))
const two = setUpOnce(() => setup(['lake', 'attic']))

describe('the sync process', () => {
  it('syncs files whose jobs were lost with the stream', async () => {
    const t = single
    await using _worker = await t.start()
    await t.synced((await t.hotFile()).id)
    await (await t.streams()).delete(streams.jobs.name)
    await t.synced((await t.hotFile()).id)
  })

  it('waits while a network is unavailable, without counting attempts', async () => {
    const t = single
    await using worker = await t.start()
    await t.synced((await t.hotFile()).id)
    await t.takeNetworkDown()
    const files = [await t.hotFile('one'), await t.hotFile('two'), await t.hotFile('three')]
    await waitFor(async () => /tideport_circuit_open\{[^}]*\} 1/.test(await worker.metrics()), {
      what: 'the circuit to open',
    })
    await t.bringNetworkUp()
    for (const { id } of files) {
      await t.synced(id)
      expect(await t.events(id)).toEqual(['file.hot', 'file.copied', 'file.synced'])
    }
  })

  it('stores on one network while another is unavailable, without counting attempts for the other', async () => {
    const t = two
    await using worker = await t.start()
    const reaches = (id: string, states: Record<string, string>) =>
      waitFor(
        async () => {
          const { copies } = await t.found(id)
          return copies.every(({ network, state }) => state === states[network])
        },
        { what: `the copies to be ${JSON.stringify(states)}`, timeoutMs: 150_000 },
      )
    const first = await t.hotFile('first')
    await reaches(first.id, { lake: 'stored', attic: 'stored' })
    await t.takeNetworkDown('attic')
    const files = [await t.hotFile('one'), await t.hotFile('two'), await t.hotFile('three')]
    for (const { id } of files) await reaches(id, { lake: 'stored', attic: 'planned' })
    await waitFor(async () => /tideport_circuit_open\{[^}]*"attic"[^}]*\} 1/.test(await worker.metrics()), {
      what: 'the circuit of the network to open',
    })
    expect(await worker.metrics()).toMatch(/tideport_circuit_open\{[^}]*"lake"[^}]*\} 0/)
    for (const file of files) {
      expect(await t.read(file.id)).toMatchObject({ status: 'synced' })
      expect(await t.copy(file, 'attic')).toMatchObject({ state: 'planned', attempt: 0, unfinishedClaims: 0 })
    }
    const late = await t.hotFile('late')
    await reaches(late.id, { lake: 'stored', attic: 'planned' })
    await t.bringNetworkUp('attic')
    for (const file of [...files, late]) {
      await reaches(file.id, { lake: 'stored', attic: 'stored' })
      expect(await t.statusEvents(file)).toEqual(['file.hot', 'file.synced'])
    }
  })

  it('removes queued jobs of a leaving network, and stores and enqueues nothing for it', async () => {
    const t = two
    const file = await t.hotFile()
    await using _worker = await t.start({ NETWORK_ATTIC_ROLE: 'leaving' })
    await t.synced(file.id)
    const job = JSON.stringify({ fileId: file.id, network: 'attic' })
    await jetstream(await t.nats.connect()).publish(`jobs.store.v1.attic.${file.id}`, job)
    const waiting = async () => (await (await t.streams()).info(streams.jobs.name)).state.messages
    await waitFor(async () => (await waiting()) === 0, { what: 'the job to be taken' })
    expect(await t.copy(file, 'attic')).toMatchObject({ state: 'planned', blobId: null, fencingToken: 1, attempt: 0 })
    const turns = await t.database.sql('select name from turn')
    expect(turns.map(({ name }) => name)).not.toContain('enqueue store-attic')
  })

  it('serves only the networks of SYNC_NETWORKS, and none without configuration', async () => {
    const t = two
    await using _lake = await t.start({ SYNC_NETWORKS: 'lake' })
    const file = await t.hotFile()
    await t.synced(file.id)
    expect(await t.copy(file, 'attic')).toMatchObject({ state: 'planned', fencingToken: 0 })
    await using _attic = await t.start({ SYNC_NETWORKS: 'attic' })
    await waitFor(async () => (await t.copy(file, 'attic')).state === 'stored', { what: 'the other copy' })
    await expect(t.start({ SYNC_NETWORKS: 'cellar' })).rejects.toThrow(/cellar/)
  })

  it('exits in time on SIGTERM and returns unfinished copies without counting an attempt', async () => {
    const t = single
    await using worker = await t.start({ SHUTDOWN_SECONDS: '10' })
    await t.synced((await t.hotFile()).id)
    t.proxy.setWeather({ kind: 'delay', delayMs: 200 })
    const file = await t.hotFile('x'.repeat(16 * 1024 * 1024))
    await waitFor(async () => (await t.directory.list()).some((path) => path.startsWith(`staging/${file.id}`)), {
      what: 'bytes to arrive',
    })
    expect(await worker.stop()).toEqual({ code: 0, signal: null })
    const untried = { state: 'planned', attempt: 0, unfinishedClaims: 0, claimedUntil: null }
    expect(await t.copy(file)).toMatchObject(untried)
    t.proxy.setWeather({ kind: 'pass' })
    await using _next = await t.start()
    await t.synced(file.id)
  })
})
