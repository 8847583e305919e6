import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { clientAddressHeader } from '@tideport/contracts/internal/request-headers'
import { waitFor } from '@tideport/testing/wait-for'
import { beforeAll, describe, expect, it } from 'vitest'
import { setup, sharedBundle } from '../bundle.ts'
import { clientOf, visitorOf } from '../client.ts'
import { makeCold } from '../later-states.ts'

/** Larger than all buffers between the store and a client. */
const large = Buffer.alloc(48 * 1024 * 1024, 7)

const limits = { HOT_STREAMS_MAX: '2', COLD_STREAMS_MAX: '2' }
const t = sharedBundle({ env: { ...limits, STREAM_STALL_SECONDS: '600' } })
const client = clientOf(t)
let file: { id: string }
let path: string
beforeAll(async () => {
  file = await client.hotFile(large)
  path = `/api/public/files/${file.id}`
})

/** A download whose response has begun and is not read. */
async function stall(path: string, clientAddress?: string, at = t): Promise<IncomingMessage> {
  const headers = { ...(await at.principalHeaders()), ...(clientAddress && { [clientAddressHeader]: clientAddress }) }
  const [response] = await once(get(new URL(path, at.address), { headers, agent: false }), 'response')
  return (response as IncomingMessage).pause().on('error', () => {})
}

describe.each(['hot', 'cold'])('while stalled downloads of %s files use all slots', (tier) => {
  let other: { id: string }
  beforeAll(async () => {
    other = await client.hotFile('other')
    await makeCold(t, tier === 'hot' ? other.id : file.id)
  })

  it('further downloads get 503 within about a second, and uploads and the other tier continue', async () => {
    const stalled = await Promise.all([stall(path), stall(path)])

    const refused = await visitorOf(t)(path, { headers: { range: 'bytes=0-9' } })
    expect([refused.status, refused.body.code]).toEqual([503, 'unavailable'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await visitorOf(t)(path, { method: 'HEAD' })).status).toBe(200)
    // Uploads have separate connections to the store.
    expect((await client.hotFile('uploaded meanwhile')).status).toBe('hot')
    expect((await visitorOf(t)(`/api/public/files/${other.id}`)).bytes.toString()).toBe('other')

    for (const response of stalled) response.destroy()
  })

  it('the stalled downloads are cut off after a while, which frees all slots', async () => {
    await using hasty = await setup({ env: { ...limits, STREAM_STALL_SECONDS: '1' } })
    const { id } = await clientOf(hasty).hotFile(large)
    if (tier === 'cold') await makeCold(hasty, id)
    const path = `/api/public/files/${id}`
    const stalled = await Promise.all([stall(path, undefined, hasty), stall(path, undefined, hasty)])
    await waitFor(async () => (await visitorOf(hasty)(path, { headers: { range: 'bytes=0-9' } })).status === 206)
    for (const response of stalled) response.destroy()
  })

  it('a client of another network takes the slot of a stalled download, whose connection is closed', async () => {
    const stalled = [await stall(path), await stall(path)]
    // Downloads count as slow after all buffers are full, which may take longer than a new client waits.
    const newcomer = await waitFor(async () => {
      const answered = await stall(path, '198.51.100.1')
      return answered.statusCode === 200 && answered
    })
    const cut = async () =>
      new RegExp(`tideport_cut_streams_total\\{tier="${tier}".* 1$`, 'm').test((await t.metrics.render()).text)
    await waitFor(cut)
    for (const response of [...stalled, newcomer]) response.destroy()
  })
})
