import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { hasKubo } from '@tideport/testing/kubo'
import { withSeed } from '@tideport/testing/with-seed'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readTree } from '../../src/ipfs/find-copy.ts'
import { openRpc } from '../../src/ipfs/rpc.ts'
import type { CopyName } from '../../src/storage-network.ts'
import { UNIXFS_V1_2025 } from '../../src/unixfs/dag-builder.ts'
import { buildTree } from '../build-tree.ts'
import { codeOf, factsOf, read, store } from '../copies.ts'
import { dataFirst } from '../data-first.ts'
import { openIpfs } from '../ipfs-under-test.ts'

const MIB = 1024 * 1024
const signal = () => new AbortController().signal
const ok = { ok: true, expiresAt: null }

describe.skipIf(!hasKubo())('a network on a real Kubo', () => {
  let under: Awaited<ReturnType<typeof openIpfs>>
  beforeAll(async () => {
    under = await openIpfs()
  })
  afterAll(() => under[Symbol.asyncDispose]())

  it('keeps every copy complete, and stores more, during continuous garbage collection', async () => {
    const { network, kubo } = under
    let isOver = false
    let collections = 0
    const collecting = (async () => {
      for (; !isOver; collections++) await kubo.call('repo/gc')
    })()
    const kept: [CopyName, Buffer][] = []
    await withSeed(async (random) => {
      // The duration of a collection depends on the machine.
      for (let round = 0; round < 12 || collections < 6; round++) {
        const bytes = randomBytes(Math.floor(random() * 3 * MIB))
        kept.push([await store(network, bytes), bytes])
        const gone = await store(network, randomBytes(MIB + 1))
        await network.remove(gone, signal())
      }
    })
    isOver = true
    await collecting
    await kubo.call('repo/gc')
    for (const [copy, bytes] of kept) expect(await network.prove(copy, factsOf(bytes), signal())).toEqual(ok)
  })

  it('frees removed blocks at the next garbage collection, but not those of other copies', async () => {
    const { network, kubo } = under
    const bytes = randomBytes(MIB + 1)
    const [gone, kept] = [await store(network, bytes), await store(network, bytes)]
    await network.remove(gone, signal())
    await kubo.call('repo/gc')
    expect(await network.prove(kept, factsOf(bytes), signal())).toEqual(ok)
    await network.remove(kept, signal())
    await kubo.call('repo/gc')
    await expect(kubo.call('block/stat', { arg: kept.blobId, offline: 'true' })).rejects.toThrow('could not find')
  })

  it('keeps reported commits and removals after kill -9 of the node', async () => {
    const { network, kubo } = under
    const bytes = randomBytes(MIB + 1)
    const [kept, gone] = [await store(network, bytes), await store(network, Buffer.from('gone'))]
    await network.remove(gone, signal())
    await kubo.kill()
    expect(await codeOf(network.stat(kept, signal()))).toBe('unreachable')
    await kubo.start()
    expect(await network.prove(kept, factsOf(bytes), signal())).toEqual(ok)
    expect(await network.stat(gone, signal())).toEqual({ state: 'absent' })
  })

  it('searches no other node for a copy with a lost root, of one block or several, or for its neighbors', async () => {
    const { network, kubo } = under
    const list = async () => {
      const listed: string[] = []
      for await (const { reference } of network.references(signal())) listed.push(reference)
      return listed.toSorted()
    }
    const before = await list()
    await network.remove(await store(network, Buffer.from('gone')), signal())
    const blobs = [randomBytes(1000), randomBytes(MIB + 1)]
    const lost: [CopyName, Buffer][] = []
    for (const bytes of blobs) lost.push([await store(network, bytes), bytes])
    for (const [{ blobId }] of lost) await kubo.call('block/rm', { arg: blobId, force: 'true' })
    await kubo.kill()
    await kubo.start()
    const kept = [...before, ...lost.map(([{ reference }]) => reference)].toSorted()
    for (const [copy, bytes] of lost) {
      expect(await network.stat(copy, signal())).toEqual({ state: 'absent' })
      expect(await codeOf(read(network, copy))).toBe('integrity')
      expect(await network.prove(copy, factsOf(bytes), signal())).toEqual({ ok: false, reason: 'mismatch' })
      expect(await list()).toEqual(kept)
      const healed = await store(network, bytes, copy.reference)
      expect(await network.prove(healed, factsOf(bytes), signal())).toEqual(ok)
    }
  })

  it('deletes what a dead process staged a day ago', async () => {
    const { kubo, open } = under
    const names = [`${Date.now() - 90_000_000}-old`, `${Date.now()}-young`]
    for (const name of names) await kubo.call('files/mkdir', { arg: `/tideport/staging/${name}` })
    await store(open(), Buffer.from('sweeps'))
    const left = async () => JSON.parse(await kubo.call('files/ls', { arg: '/tideport/staging' })).Entries
    while ((await left()).length > 1) await delay(20)
    expect(await left()).toMatchObject([{ Name: names[1] }])
  })

  it('reads a tree whose nodes have their data before their links', async () => {
    const { network, kubo } = under
    const bytes = randomBytes(2 * MIB + 5)
    const { blobId } = await store(network, bytes)
    const { nodes } = buildTree(bytes, UNIXFS_V1_2025)
    const body = new FormData()
    body.set('file', new Blob([new Uint8Array(dataFirst(nodes.get(blobId) as Buffer))]))
    const [url, headers] = [`${kubo.url}/api/v0/block/put?cid-codec=dag-pb`, { authorization: `Bearer ${kubo.token}` }]
    const { Key } = (await (await fetch(url, { method: 'POST', headers, body })).json()) as { Key: string }
    expect(Key).not.toBe(blobId)
    const rpc = openRpc(kubo)
    expect(await readTree(rpc, Key, signal())).toEqual(await readTree(rpc, blobId, signal()))
  })
})
