import { describe, expect, it } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { clientOf } from '../client.ts'

const MIB = 1024 * 1024
const PARTS = 1000

const t = sharedBundle({ env: { SLOW_CALLS_PER_ACCOUNT_MAX: '4' } })
const client = clientOf(t)
let fileId: string

const costOf = ({ headers }: { headers: Headers }) => headers.get('x-tideport-cost')
const renew = (count: number) =>
  client.call('POST', `/api/files/${fileId}/upload-urls`, {
    json: { partNumbers: Array.from({ length: count }, (_, index) => index + 1) },
  })

describe('the cost of a call', () => {
  it('grows with the number of signed URLs, and is reported only to the gateway', async () => {
    const vaultId = await client.defaultVault()
    const large = { vaultId, sizeBytes: PARTS * 5 * MIB, partSizeBytes: 5 * MIB }
    const upload = await client.requestUpload(large)
    expect([upload.status, costOf(upload)]).toEqual([201, '20'])
    fileId = upload.body.fileId
    expect(costOf(await renew(PARTS))).toBe('20')
    expect(costOf(await renew(10))).toBeNull()
    expect(costOf(await client.requestUpload({ vaultId, sizeBytes: 1 }))).toBeNull()
  })

  it('limits slow calls per account and does not delay fast ones', async () => {
    const other = clientOf(t)
    const slow = Array.from({ length: 40 }, () => renew(PARTS))
    const quick = await Promise.all([client.call('GET', '/api/files'), other.call('GET', '/api/files?q=cat')])
    expect(quick.map(({ status }) => status)).toEqual([200, 200])
    const answers = await Promise.all(slow)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    expect(answers.filter(({ status }) => status === 200).length).toBe(40 - refused.length)
    expect(refused[0]?.headers.get('retry-after')).toBe('1')
    expect(refused[0]?.body.code).toBe('rate_limited')
    expect((await renew(PARTS)).status).toBe(200)
  })
})
