import { randomBytes } from 'node:crypto'
import { type FaultName, type FaultOptions, startWalrus } from '@tideport/testing/walrus'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { NetworkErrorCode } from '../../src/errors.ts'
import type { WalrusSettings } from '../../src/walrus/settings.ts'
import { openWalrusNetwork } from '../../src/walrus/walrus-network.ts'
import { bodyOf, codeOf, factsOf, newReference, read, store } from '../copies.ts'
import { configOf, openWalrus } from '../walrus-under-test.ts'

const MIB = 1024 * 1024
const signal = () => new AbortController().signal
const nobody = { installationId: async () => 'test-installation' }
const NOWHERE = 'http://127.0.0.1:1'
/** Small blobs stay in memory during a store, and their ID is computed. Large ones do not. */
const SIZES = { small: 1000, large: MIB / 2 }

describe('a faulty Walrus network', () => {
  let under: Awaited<ReturnType<typeof openWalrus>>
  beforeAll(async () => {
    under = await openWalrus()
  })
  afterAll(async () => await under[Symbol.asyncDispose]())
  afterEach(() => under.walrus.current().faults.clear())

  const set = (name: FaultName, options?: FaultOptions) => under.walrus.current().faults.set(name, options)
  const open = (different: Partial<WalrusSettings> = {}) =>
    openWalrusNetwork({ ...configOf(under.walrus, different), ...nobody })
  const objectsOf = async (blobId: string) => (await under.walrus.current().blobs.find(blobId))?.objects.length

  const refusals: [FaultName, NetworkErrorCode][] = [
    ['publisher_overloaded', 'unreachable'],
    ['publisher_cap', 'too_large'],
    ['publisher_out_of_funds', 'unreachable'],
    ['publisher_token_used', 'unreachable'],
    ['publisher_token_expired', 'unreachable'],
    ['publisher_blocked', 'refused'],
    ['publisher_breaks_off', 'unreachable'],
    ['publisher_fails', 'copy_failed'],
    ['publisher_no_confirmations', 'copy_failed'],
    ['publisher_error_in_200', 'copy_failed'],
    ['publisher_marked_invalid', 'copy_failed'],
    ['publisher_wrong_shape', 'unreachable'],
  ]
  for (const [name, code] of refusals) {
    it(`reports ${name} as ${code}, and tries the next publisher if that can help`, async () => {
      const network = open()
      set(name)
      for (const size of Object.values(SIZES)) {
        const body = bodyOf(randomBytes(size))
        expect(await codeOf(network.stage(body, { reference: newReference(), signal: signal() }))).toBe(code)
        expect(body.destroyed).toBe(true)
      }
      // The fault is over when the second publisher is tried.
      set(name, { times: 1 })
      const { url } = under.walrus
      const twice = open({ publishers: [url, `${url}/`] })
      const isFinal = code === 'refused'
      const bytes = randomBytes(SIZES.small)
      if (isFinal) expect(await codeOf(store(twice, bytes))).toBe(code)
      else expect((await read(twice, await store(twice, bytes))).equals(bytes)).toBe(true)
    })
  }

  for (const name of [
    'publisher_fails_after',
    'publisher_no_confirmations_after',
    'publisher_breaks_off_after',
  ] as const) {
    it(`stores once despite ${name}: the second attempt finds the blob and costs nothing`, async () => {
      const network = open()
      set(name, { times: 1 })
      const bytes = randomBytes(SIZES.small)
      const copy = await store(network, bytes)
      expect(await objectsOf(copy.blobId)).toBe(1)
      expect(await network.prove(copy, factsOf(bytes), signal())).toMatchObject({ ok: true })
    })
  }

  it('tries the next publisher as long as no byte of the body was taken', async () => {
    const network = open({ publishers: [NOWHERE, under.walrus.url] })
    const bytes = randomBytes(SIZES.large)
    const copy = await store(network, bytes)
    expect((await read(network, copy)).equals(bytes)).toBe(true)
    set('publisher_overloaded', { times: 1 })
    const again = open({ publishers: [under.walrus.url, `${under.walrus.url}/`] })
    expect((await store(again, bytes)).blobId).toBe(copy.blobId)
  })

  it('rejects a blob ID that does not match the bytes', async () => {
    set('publisher_wrong_id')
    await expect(store(open(), randomBytes(SIZES.small))).rejects.toMatchObject({
      code: 'copy_failed',
      message: expect.stringContaining('for bytes with the blob ID'),
    })
    // Nothing here detects this for a large blob, but no aggregator finds it.
    expect(await codeOf(store(open(), randomBytes(SIZES.large)))).toBe('staged_lost')
  })

  it('rejects a blob that is too large immediately, and a publisher rejects it before the end of the body', async () => {
    const network = open({ maxBlobBytes: MIB })
    expect(network.maxBlobBytes).toBe(MIB)
    const stage = (sizeBytes?: number) =>
      network.stage(bodyOf(randomBytes(2 * MIB)), {
        ...{ reference: newReference(), signal: signal() },
        ...(sizeBytes !== undefined && { sizeBytes }),
      })
    expect(await codeOf(stage(2 * MIB))).toBe('too_large')
    expect(await codeOf(stage())).toBe('too_large')
    await using narrow = await startWalrus({ maxBodyBytes: 2 * MIB })
    const wide = open({ publishers: [narrow.url] })
    async function* endless() {
      for (;;) yield randomBytes(MIB)
    }
    const tooMuch = wide.stage(endless(), { reference: newReference(), sizeBytes: 100 * MIB, signal: signal() })
    expect(await codeOf(tooMuch)).toBe('too_large')
    expect(await codeOf(wide.stage(endless(), { reference: newReference(), signal: signal() }))).toBe('too_large')
  })

  it('is unreachable with a wrong token, and no message contains a token', async () => {
    const jwtSecret = 'not-the-secret-of-the-publisher'
    for (const different of [{ jwtSecret }, { jwtSecret: undefined }, { jwtSeconds: 61 }]) {
      const failed = store(open(different), randomBytes(SIZES.small))
      await expect(failed).rejects.toMatchObject({ code: 'unreachable' })
      await expect(failed).rejects.not.toThrow(/secret|Bearer|ey[A-Z]/)
    }
  })

  const readFaults: [FaultName, NetworkErrorCode][] = [
    ['aggregator_late', 'not_found'],
    ['aggregator_unavailable', 'copy_failed'],
    ['aggregator_fails', 'copy_failed'],
    ['aggregator_overloaded', 'unreachable'],
    ['aggregator_too_large', 'copy_failed'],
    ['aggregator_blocked', 'refused'],
    ['aggregator_flips', 'integrity'],
    ['aggregator_shortens', 'integrity'],
    ['aggregator_lengthens', 'integrity'],
    ['aggregator_breaks_off', 'unreachable'],
  ]
  for (const [name, code] of readFaults) {
    it(`reports ${name} as ${code}, and reads from another aggregator if that can help`, async () => {
      const network = open()
      const bytes = randomBytes(SIZES.small)
      const copy = await store(network, bytes)
      set(name, { blobId: copy.blobId })
      expect(await codeOf(read(network, copy))).toBe(code)
      const proof = network.prove(copy, factsOf(bytes), signal())
      const reason = { not_found: 'absent', integrity: 'mismatch' }[code as string]
      if (reason) expect(await proof).toEqual({ ok: false, reason })
      else expect(await codeOf(proof)).toBe(code)
      const { url } = under.walrus
      // Both addresses lead to the same server, so the fault must be over between them.
      const times = name === 'aggregator_late' ? 2 : 1
      const several = open({ aggregators: [url, `${url}/`] })
      set(name, { blobId: copy.blobId, times })
      if (code === 'refused') expect(await codeOf(read(several, copy))).toBe(code)
      else expect((await read(several, copy)).equals(bytes)).toBe(true)
    })
  }

  it("does not accept a proxy's page as a response of Walrus", async () => {
    const network = open()
    const copy = await store(network, randomBytes(SIZES.small))
    set('aggregator_page')
    expect(await codeOf(read(network, copy))).toBe('integrity')
    // The marker is replaced by a page, too.
    const proof = network.prove(copy, { sha256: '', sizeBytes: SIZES.small }, signal())
    await expect(proof).rejects.toMatchObject({ code: 'unreachable' })
  })

  it('is not misled by a stale cached response', async () => {
    const network = open()
    set('aggregator_stale_cache')
    const bytes = randomBytes(SIZES.small)
    const copy = await store(network, bytes)
    expect((await read(network, copy)).equals(bytes)).toBe(true)
  })

  it('waits until aggregators know a stored blob', async () => {
    const network = open({ propagationSeconds: 30 })
    const bytes = randomBytes(SIZES.small)
    await using staged = await network.stage(bodyOf(bytes), { reference: newReference(), signal: signal() })
    set('aggregator_late', { blobId: staged.blobId, times: 4 })
    expect(await staged.commit()).toEqual({ expiresAt: expect.any(Date) })
  })

  it('aborts a stream with wrong bytes in the middle, and returns none of them', async () => {
    const network = open()
    const bytes = randomBytes(3 * MIB)
    const copy = await store(network, bytes)
    set('aggregator_flips', { blobId: copy.blobId })
    const stream = await network.open(copy, { signal: signal() })
    const given: Buffer[] = []
    const reading = (async () => {
      for await (const chunk of stream) given.push(chunk)
    })()
    await expect(reading).rejects.toMatchObject({ code: 'integrity' })
    const all = Buffer.concat(given)
    expect(all.equals(bytes.subarray(0, all.length))).toBe(true)
    expect(all.length).toBeLessThan(bytes.length / 2)
  })

  it('reads a blob without remembered data by computing its ID, if it may stay in memory', async () => {
    const [small, large] = [randomBytes(SIZES.small), randomBytes(SIZES.large)]
    const [one, other] = [await store(open(), small), await store(open(), large)]
    expect((await read(open(), { blobId: one.blobId })).equals(small)).toBe(true)
    expect((await read(open(), { blobId: one.blobId }, { start: 1, end: 5 })).equals(small.subarray(1, 6))).toBe(true)
    expect(await codeOf(read(open(), { blobId: other.blobId }))).toBe('copy_failed')
    set('aggregator_flips')
    expect(await codeOf(read(open(), { blobId: one.blobId }))).not.toBe('not_found')
  })
})
