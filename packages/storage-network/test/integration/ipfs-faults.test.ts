import { randomBytes } from 'node:crypto'
import { hasKubo, startKubo } from '@tideport/testing/kubo'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openIpfsNetwork } from '../../src/ipfs/ipfs-network.ts'
import { setUpStorageNetwork } from '../../src/set-up-network.ts'
import type { StorageNetwork } from '../../src/storage-network.ts'
import { bodyOf, codeOf, factsOf, nameOf, newReference, read, store } from '../copies.ts'
import { configOf, openIpfs } from '../ipfs-under-test.ts'
import { type KuboAnswer, type Meddle, openFront } from '../kubo-front.ts'

const MIB = 1024 * 1024
const signal = () => new AbortController().signal
const nobody = { installationId: async () => 'test-installation' }
const setUp = { ...nobody, remembered: [], acceptLostCopies: false }
const ok = { ok: true, expiresAt: null }
const mismatch = { ok: false, reason: 'mismatch' }

/** Changes the responses to one command only. */
const only =
  (command: string, change: (answer: KuboAnswer) => ReturnType<Meddle>): Meddle =>
  (asked, answer) =>
    asked === command ? change(answer) : answer
const version = (text: string) =>
  only('version', (answer) => ({ ...answer, body: Buffer.from(`{"Version":"${text}"}`) }))
const flip = (answer: KuboAnswer) => {
  const body = Buffer.from(answer.body)
  const middle = Math.floor(body.length / 2)
  body.writeUInt8(body.readUInt8(middle) ^ 1, middle)
  return { ...answer, body }
}

describe.skipIf(!hasKubo())('a faulty IPFS node', () => {
  let under: Awaited<ReturnType<typeof openIpfs>>
  beforeAll(async () => {
    under = await openIpfs()
  })
  afterAll(async () => await under[Symbol.asyncDispose]())

  /** The network behind a proxy that changes the node's responses. */
  async function behind(meddle: Meddle, collectionSeconds = 60) {
    const front = await openFront(under.kubo.url, meddle)
    const config = configOf(under.kubo, { urls: [front.url], collectionSeconds })
    const network = openIpfsNetwork({ ...config, ...nobody })
    return { network, config, [Symbol.asyncDispose]: front[Symbol.asyncDispose] }
  }
  const stage = (network: StorageNetwork, bytes = randomBytes(100_000)) =>
    network.stage(bodyOf(bytes), { reference: newReference(), signal: signal() })

  it('rejects Kubo before 0.43, with the reason', async () => {
    await using front = await behind(version('0.42.0'))
    const because = /runs Kubo 0\.42\.0, but 0\.43 or newer is required: .*garbage collection.*kubo#10842/
    await expect(front.network.health(signal())).rejects.toMatchObject({ code: 'unreachable' })
    await expect(front.network.health(signal())).rejects.toThrow(because)
    await expect(setUpStorageNetwork(front.config, setUp)).rejects.toThrow(because)
    expect(await codeOf(stage(front.network))).toBe('unreachable')
    await using newer = await behind(version('1.0.0-rc1'))
    await newer.network.health(signal())
  })

  it('detects a late error in a response that began with status 200', async () => {
    for (const command of ['add', 'files/cp']) {
      await using front = await behind(only(command, (answer) => ({ ...answer, streamError: 'the disk is on fire' })))
      const call = codeOf(store(front.network, randomBytes(1000)))
      expect(await call, command).toBe('copy_failed')
    }
    // Kubo itself: it reports the ID before it finds that the path cannot be created.
    await under.kubo.call('files/rm', { arg: '/tideport/staging', recursive: 'true' })
    expect(await codeOf(stage(under.network))).toBe('copy_failed')
    await setUpStorageNetwork(configOf(under.kubo), setUp)
  })

  it('stores nothing when the node returns no ID or a wrong one', async () => {
    const other = (await stage(under.network)).blobId
    for (const body of ['', '{"Name":"blob"}\n', `{"Name":"blob","Hash":"${other}","Size":"1"}\n`, '<html>']) {
      await using front = await behind(only('add', (answer) => ({ ...answer, body: Buffer.from(body) })))
      const code = await codeOf(stage(front.network))
      expect(code, body).toBe(body.includes(other) ? 'copy_failed' : 'unreachable')
    }
  })

  it("does not accept a proxy's page as a response: nothing counts as stored or removed", async () => {
    const copy = await store(under.network, randomBytes(1000))
    for (const command of ['files/cp', 'files/rm', 'files/flush']) {
      const page = Buffer.from('<html>We will be back soon</html>')
      await using front = await behind(only(command, (answer) => ({ ...answer, body: page })))
      const call =
        command === 'files/cp' ? store(front.network, randomBytes(1000)) : front.network.remove(copy, signal())
      expect(await codeOf(call), command).toBe('unreachable')
    }
  })

  it('never returns bytes that were changed in transit, and keeps their blocks on the node', async () => {
    const bytes = randomBytes(2 * MIB + 7)
    const copy = await store(under.network, bytes)
    const short = (answer: KuboAnswer) => ({ ...answer, body: answer.body.subarray(0, -100) })
    for (const change of [flip, short]) {
      const meddle: Meddle = (command, answer) => (['cat', 'block/get'].includes(command) ? change(answer) : answer)
      // The marker must stay readable.
      await using front = await behind((command, answer) =>
        answer.body.length < 1000 ? answer : meddle(command, answer),
      )
      expect(await codeOf(read(front.network, copy))).toBe('integrity')
      expect(await codeOf(read(front.network, copy, { start: MIB, end: MIB + 5 }))).toBe('integrity')
      expect(await front.network.prove(copy, factsOf(bytes), signal())).toEqual(mismatch)
      expect(await under.network.prove(copy, factsOf(bytes), signal())).toEqual(ok)
    }
  })

  it('is unreachable, never without a copy, when the connection breaks or access is denied', async () => {
    const bytes = randomBytes(MIB + 1)
    const copy = await store(under.network, bytes)
    await using cut = await behind(only('cat', (answer) => (answer.body.length > 1000 ? 'cut' : answer)))
    expect(await codeOf(read(cut.network, copy))).toBe('unreachable')
    expect(await codeOf(cut.network.prove(copy, factsOf(bytes), signal()))).toBe('unreachable')
    const stranger = configOf({ ...under.kubo, token: 'guessed' })
    const nowhere = configOf({ ...under.kubo, url: 'http://127.0.0.1:1' })
    for (const config of [stranger, nowhere]) {
      const network = openIpfsNetwork({ ...config, ...nobody })
      const calls = [network.stat(copy, signal()), read(network, copy), stage(network), network.health(signal())]
      expect(await Promise.all(calls.map(codeOf))).toEqual(calls.map(() => 'unreachable'))
    }
    await expect(setUpStorageNetwork(stranger, setUp)).rejects.toThrow(/403.*API\.Authorizations/)
  })

  it('times out a write that takes longer than any garbage collection, and a query sooner', async () => {
    const bytes = randomBytes(1000)
    await using hanging = await behind((command, answer) => (command.startsWith('files/cp') ? 'hang' : answer), 1)
    const writing = expect(store(hanging.network, bytes)).rejects.toMatchObject({
      code: 'unreachable',
      fault: 'hanging',
    })
    const copy = await store(under.network, bytes)
    await using silent = await behind(only('dag/resolve', () => 'hang'))
    const abort = new AbortController()
    const call = silent.network.stat(copy, abort.signal)
    setTimeout(() => abort.abort(), 200)
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
    await expect(silent.network.stat(copy, signal())).rejects.toMatchObject({ code: 'unreachable', fault: 'hanging' })
    await writing
  })

  it("never accepts another network's node", async () => {
    const copy = await store(under.network, Buffer.from('here'))
    await using kubo = await startKubo()
    const elsewhere = openIpfsNetwork({ ...configOf(kubo), ...nobody })
    for (const call of [() => elsewhere.stat(copy, signal()), () => read(elsewhere, copy), () => stage(elsewhere)]) {
      await expect(call()).rejects.toMatchObject({ code: 'unreachable', fault: 'missing' })
    }
    await setUpStorageNetwork({ ...configOf(kubo), name: 'node-b' }, setUp)
    await expect(elsewhere.stat(copy, signal())).rejects.toMatchObject({ code: 'unreachable', fault: 'foreign' })
    await expect(setUpStorageNetwork(configOf(kubo), setUp)).rejects.toMatchObject({ fault: 'foreign' })
    const remembered = [copy]
    await expect(setUpStorageNetwork(configOf(kubo, { directory: '/x' }), { ...setUp, remembered })).rejects.toThrow(
      '--accept-lost-copies',
    )
    await under.kubo.call('files/rm', { arg: '/tideport/network.json' })
    await expect(setUpStorageNetwork(configOf(under.kubo), setUp)).rejects.toThrow('contains copies')
    expect(await setUpStorageNetwork(configOf(under.kubo), { ...setUp, remembered })).toBe('set_up')
    expect(await setUpStorageNetwork(configOf(under.kubo), { ...setUp, remembered })).toBe('was_set_up')
  })

  it('reads from its next address while the first is unreachable, which reports nothing else', async () => {
    const bytes = randomBytes(MIB + 1)
    const copy = await store(under.network, bytes)
    const urls = ['http://127.0.0.1:1', under.kubo.url] as [string, string]
    const network = openIpfsNetwork({ ...configOf(under.kubo, { urls }), ...nobody })
    expect((await read(network, copy)).equals(bytes)).toBe(true)
    const unknown = nameOf(await stage(under.network), newReference())
    const calls = [read(network, unknown), network.stat(copy, signal()), stage(network), network.remove(copy, signal())]
    expect(await Promise.all(calls.map(codeOf))).toEqual(calls.map(() => 'unreachable'))
  })
})
