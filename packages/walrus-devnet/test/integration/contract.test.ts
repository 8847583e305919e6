import { startWalrus, type TestWalrus } from '@tideport/testing/walrus'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { FaultName } from '../../src/faults.ts'
import { readPutQuery } from '../../src/put-query.ts'
import { faultsOf, published, unlikeContract } from '../contract.ts'
import { corrected, type Part } from '../overlay.ts'

const STORE: [string, string] = ['/v1/blobs', 'put']
const READ: [string, string] = ['/v1/blobs/{blob_id}', 'get']
/** Examples from the Walrus documentation (docs/content/http-api/storing-blobs.mdx). */
const samples = {
  newlyCreated: {
    blobObject: {
      id: '0xe91eee8c5b6f35b9a250cfc29e30f0d9e5463a21fd8d1ddb0fc22d44db4eac50',
      registeredEpoch: 34,
      blobId: 'M4hsZGQ1oCktdzegB6HnI6Mi28S2nqOPHxK-W7_4BUk',
      size: 17,
      encodingType: 'RS2',
      certifiedEpoch: 34,
      storage: {
        id: '0x4748cd83217b5ce7aa77e7f1ad6fc5f7f694e26a157381b9391ac65c47815faf',
        startEpoch: 34,
        endEpoch: 35,
        storageSize: 66_034_000,
      },
      deletable: false,
    },
    resourceOperation: { registerFromScratch: { encodedLength: 66_034_000, epochsAhead: 1 } },
    cost: 132_300,
  },
  alreadyCertified: {
    blobId: 'M4hsZGQ1oCktdzegB6HnI6Mi28S2nqOPHxK-W7_4BUk',
    event: { txDigest: '4XQHFa9S324wTzYHF3vsBSwpUZuLpmwTHYMFv9nsttSs', eventSeq: '0' },
    endEpoch: 35,
  },
}

describe('contract of the devnet with the published OpenAPI of Walrus and its overlay', () => {
  let walrus: TestWalrus
  beforeAll(async () => {
    walrus = await startWalrus()
  })
  afterAll(async () => await walrus[Symbol.asyncDispose]())
  afterEach(() => walrus.current().faults.clear())
  const put = (query = 'permanent=true', body: string | Uint8Array<ArrayBuffer> = 'some string') =>
    fetch(`${walrus.url}/v1/blobs?${query}`, { method: 'PUT', body })
  const get = (path: string, headers = {}) => fetch(`${walrus.url}/v1/blobs/${path}`, { headers })

  it.each(Object.entries(samples))(
    'the overlay accepts the documented %s, which the published OpenAPI rejects',
    (word, sample) => {
      const { publisher } = published
      expect(faultsOf(publisher, 'BlobStoreResult', { [word]: sample })).not.toBeNull()
      expect(faultsOf(corrected(publisher), 'BlobStoreResult', { [word]: sample })).toBeNull()
      expect(faultsOf(corrected(publisher), 'BlobStoreResult', { [word]: { blobId: 'x' } })).not.toBeNull()
    },
  )

  it('reports a new blob and one that is already stored long enough like a publisher', async () => {
    for (const word of ['newlyCreated', 'alreadyCertified']) {
      const answer = await put()
      expect(await unlikeContract('publisher', STORE, answer.clone())).toBeNull()
      expect(Object.keys((await answer.json()) as object)).toEqual([word])
    }
  })

  const told: [FaultName, number][] = [
    ['publisher_overloaded', 429],
    ['publisher_cap', 413],
    ['publisher_out_of_funds', 500],
    ['publisher_token_used', 429],
    ['publisher_token_expired', 504],
    ['publisher_blocked', 451],
    ['publisher_fails', 500],
    ['publisher_no_confirmations', 504],
    ['publisher_error_in_200', 200],
    ['publisher_marked_invalid', 500],
    ['publisher_fails_after', 500],
    ['publisher_no_confirmations_after', 504],
    ['publisher_wrong_id', 200],
    ['aggregator_late', 404],
    ['aggregator_unavailable', 503],
    ['aggregator_fails', 500],
    ['aggregator_overloaded', 429],
    ['aggregator_too_large', 403],
    ['aggregator_blocked', 451],
  ]
  it.each(told)('responds to %s with %i, in the documented format', async (name, status) => {
    const { alreadyCertified } = (await (await put()).json()) as { alreadyCertified?: { blobId: string } }
    walrus.current().faults.set(name, { times: 1 })
    const isStore = name.startsWith('publisher')
    const answer = isStore ? await put() : await get(alreadyCertified?.blobId ?? '')
    expect(answer.status).toBe(status)
    const [of, where] = isStore ? (['publisher', STORE] as const) : (['aggregator', READ] as const)
    expect(await unlikeContract(of, where, answer)).toBeNull()
    expect((await put()).status).toBe(200)
  })

  it('accepts the documented query parameters and rejects all others', async () => {
    const parameters = published.publisher.paths?.['/v1/blobs']?.put?.parameters as unknown as Part[]
    // quilt_version is for quilts. send_or_share stands for send_object_to and share, which exclude each other.
    const names = parameters
      .map(({ name }) => `${name}`)
      .filter((name) => !['quilt_version', 'send_or_share'].includes(name))
    for (const name of [...names, 'send_object_to', 'share']) {
      const value = { encoding_type: 'RS2', epochs: '1', send_object_to: '0x1' }[name] ?? 'true'
      expect(readPutQuery(new URLSearchParams({ [name]: value })), name).toBeTruthy()
    }
    const wrong = [
      'epoch=1',
      'epochs=x',
      'epochs=0',
      'permanent=1',
      'permanent=true&deletable=true',
      'encoding_type=RS1',
    ]
    for (const query of wrong) {
      const answer = await put(query)
      expect(answer.status, query).toBe(400)
      expect(await unlikeContract('publisher', STORE, answer), query).toBeNull()
    }
  })
})
