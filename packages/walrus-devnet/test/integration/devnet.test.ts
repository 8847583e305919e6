import { createHmac, randomBytes } from 'node:crypto'
import { startWalrus } from '@tideport/testing/walrus'
import { describe, expect, it } from 'vitest'

interface Told {
  newlyCreated: { blobObject: { id: string; blobId: string; storage: { endEpoch: number } } }
}

async function put(url: string, query: string, body: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${url}/v1/blobs?${query}`, { method: 'PUT', body, headers })
  const told = answer.ok ? ((await answer.json()) as Told) : { reason: await reasonOf(answer) }
  return { status: answer.status, reason: null, ...told } as Told & { status: number; reason: string | null }
}
async function reasonOf(answer: Response): Promise<string | null> {
  const text = await answer.text()
  return text.startsWith('{') ? JSON.parse(text).error.details[0].reason : null
}
const tokenOf = (claims: Record<string, unknown>, secret = 'secret') => {
  const [head, body] = [{ alg: 'HS256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const signature = createHmac('sha256', secret).update(`${head}.${body}`).digest('base64url')
  return { authorization: `Bearer ${head}.${body}.${signature}` }
}

describe('the devnet', () => {
  it('keeps blobs, objects, and epochs across restarts until the end epoch', async () => {
    await using walrus = await startWalrus()
    const { url } = walrus
    const { blobObject } = (await put(url, 'permanent=true&epochs=2', 'kept')).newlyCreated
    await walrus.current().epochs.advance(1)
    await walrus.stop()
    await walrus.start()
    const read = async (path: string) => {
      const answer = await fetch(`${url}/v1/blobs/${path}`)
      return answer.ok ? await answer.text() : await reasonOf(answer)
    }
    expect(await read(blobObject.blobId)).toBe('kept')
    expect(await read(`by-object-id/${blobObject.id}`)).toBe('kept')
    const end = await fetch(`${walrus.current().adminUrl}/epochs?end=1`, { method: 'POST' })
    expect(await end.json()).toMatchObject({ epoch: blobObject.storage.endEpoch })
    expect(await read(blobObject.blobId)).toBe('BLOB_NOT_FOUND')
    expect(await read(`by-object-id/${blobObject.id}`)).toBe('OBJECT_ID_RESOLUTION_FAILED')
    expect(await read('AAAA')).toBeNull()
  })

  it('serves ranges as strictly as an aggregator', async () => {
    await using walrus = await startWalrus()
    const bytes = randomBytes(100).toString('base64')
    const { blobId } = (await put(walrus.url, '', bytes)).newlyCreated.blobObject
    const read = async (range: string) => {
      const answer = await fetch(`${walrus.url}/v1/blobs/${blobId}`, { headers: { range } })
      return [
        answer.status,
        answer.headers.get('content-range'),
        answer.ok ? await answer.text() : await reasonOf(answer),
      ]
    }
    const size = bytes.length
    expect(await read('bytes=0-0')).toEqual([206, `bytes 0-0/${size}`, bytes[0]])
    expect(await read(`bytes=5-${size - 1}`)).toEqual([206, `bytes 5-${size - 1}/${size}`, bytes.slice(5)])
    for (const range of [`bytes=0-${size}`, 'bytes=5-', 'bytes=-5', 'bytes=5-4', 'bytes=0-1,3-4']) {
      expect((await read(range))[0], range).toBe(416)
    }
    const answer = await fetch(`${walrus.url}/v1/blobs/${blobId}/byte-range?start=2&length=3`)
    expect([answer.status, await answer.text()]).toEqual([200, bytes.slice(2, 5)])
    expect(await (await fetch(`${walrus.url}/status`)).text()).toBe('OK')
  })

  it('accepts each token once, and only for the request that its claims allow', async () => {
    await using walrus = await startWalrus({ token: { secret: 'secret', seconds: 60 } })
    const iat = Math.floor(Date.now() / 1000)
    const good = { iat, exp: iat + 60, jti: 'one', epochs: 2, size: 4 }
    const tries: [Record<string, string>, number, string | null][] = [
      [{}, 400, null],
      [{ authorization: 'Bearer nonsense' }, 400, 'INVALID_TOKEN'],
      [tokenOf(good, 'another'), 401, 'INVALID_SIGNATURE'],
      [tokenOf({ ...good, jti: undefined }), 400, 'INVALID_TOKEN'],
      [tokenOf({ ...good, exp: iat + 61 }), 400, 'INVALID_EXPIRATION'],
      [tokenOf({ ...good, iat: iat - 100, exp: iat - 40 }), 504, 'EXPIRED_SIGNATURE'],
      [tokenOf({ ...good, epochs: 3 }), 400, 'INVALID_EPOCHS'],
      [tokenOf({ ...good, max_epochs: 3 }), 400, 'INCONSISTENT_TOKEN'],
      [tokenOf({ ...good, size: 5 }), 400, 'INVALID_SIZE'],
      [tokenOf({ ...good, send_object_to: '0x1' }), 400, 'INVALID_SEND_OBJECT_TO'],
      [tokenOf(good), 200, null],
      [tokenOf(good), 429, 'TOKEN_ALREADY_USED'],
      [tokenOf({ ...good, jti: 'two', size: undefined, max_size: 4 }), 200, null],
    ]
    for (const [headers, status, reason] of tries) {
      expect(await put(walrus.url, 'epochs=2&permanent=true', 'four', headers)).toMatchObject({ status, reason })
    }
  })

  it('sets, clears, and lists faults through its admin port', async () => {
    await using walrus = await startWalrus()
    const { adminUrl } = walrus.current()
    const admin = async (method: string, path: string, body?: object) => {
      const answer = await fetch(`${adminUrl}/${path}`, { method, ...(body && { body: JSON.stringify(body) }) })
      return (await answer.json()) as { faultNames?: string[] }
    }
    expect(await admin('PUT', 'faults/publisher_fails', { times: 1 })).toMatchObject({
      faults: { publisher_fails: { times: 1 } },
    })
    expect((await put(walrus.url, '', 'x')).status).toBe(500)
    const { blobId } = (await put(walrus.url, '', 'x')).newlyCreated.blobObject
    await admin('PUT', 'faults/aggregator_late')
    expect((await fetch(`${walrus.url}/v1/blobs/${blobId}`)).status).toBe(404)
    expect(await admin('DELETE', 'faults')).toMatchObject({ epoch: 1, shards: 60, faults: {} })
    expect((await fetch(`${walrus.url}/v1/blobs/${blobId}`)).status).toBe(200)
    await admin('DELETE', `blobs/${blobId}`)
    expect((await fetch(`${walrus.url}/v1/blobs/${blobId}`)).status).toBe(404)
    expect((await admin('PUT', 'faults/earthquake')).faultNames).toContain('aggregator_flips')
  })
})
