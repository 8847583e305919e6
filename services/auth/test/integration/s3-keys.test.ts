import { createHmac } from 'node:crypto'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { type Account, type Key, path, startAuth } from '../bundle.ts'

const [oldKey, newKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
const s3SecretKeys = [oldKey]
const auth = setUpOnce(() => startAuth({ s3SecretKeys }))

interface S3Key extends Key {
  s3: { accessKeyId: string; secretAccessKey: string }
}

const make = async (maker: Account, body: object = {}) => (await auth.makeKey(maker, { s3: true, ...body })) as S3Key
const read = async (owner: Account, { id }: Key) => (await auth.call(owner, 'GET', `${path}/${id}`)).body
const dayOf = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')
const find = ({ s3 }: S3Key, date = dayOf(0), region = 'us-east-1') =>
  auth.ask('/internal/api-keys/find-s3', { accessKey: s3.accessKeyId, date, region })

/** As AWS defines it. */
function signingKey({ s3 }: S3Key, date = dayOf(0), region = 'us-east-1') {
  let key: Buffer | string = `AWS4${s3.secretAccessKey}`
  for (const part of [date, region, 's3', 'aws4_request']) key = createHmac('sha256', key).update(part).digest()
  return (key as Buffer).toString('base64')
}

describe('a key with credentials for the S3 API', () => {
  it('has its secret only in the response that creates it, and never in the audit log', async () => {
    const owner = await auth.account()
    const key = await make(owner)
    expect(key.s3.accessKeyId).toMatch(/^TP[A-Z2-7]{18}$/)
    expect(key.s3.secretAccessKey).toMatch(/^[A-Za-z0-9]{40}$/)
    const shown = await read(owner, key)
    expect(shown).toMatchObject({ s3AccessKeyId: key.s3.accessKeyId })
    expect(shown).not.toHaveProperty('s3')
    const plain = await auth.makeKey(owner)
    expect(plain).toMatchObject({ s3AccessKeyId: null })
    expect(plain).not.toHaveProperty('s3')
    const { events } = (await auth.call(owner, 'GET', '/api/account/events?kind=key.created')).body
    expect(events[1].details).toMatchObject({ s3AccessKeyId: key.s3.accessKeyId })
    expect(events[0].details).not.toHaveProperty('s3AccessKeyId')
    const stored = await auth.sql(
      'select row_to_json(k)::text || (select json_agg(e) from audit_event e) from api_key k',
    )
    expect(JSON.stringify([stored, events])).not.toContain(key.s3.secretAccessKey)
  })

  it('is found by its access key ID with the account, rights, and limits of the key', async () => {
    const owner = await auth.account()
    const limits = { verbs: ['read'], addresses: ['192.0.2.0/24'] }
    const key = await make(owner, { scopes: ['files:read'], limits })
    const { body } = await find(key)
    const { digest, signingKeys, ...found } = body
    expect(found).toEqual((await auth.verify(key)).body)
    expect(signingKeys).toEqual([signingKey(key)])
    // The recheck of open requests knows S3 keys by the same digest.
    const { body: again } = await auth.ask('/internal/api-keys/recheck', { digests: [digest] })
    expect(again.keys).toEqual([{ usableMs: 0 }])
    expect((await read(owner, key)).lastUsedAt).not.toBeNull()
  })

  it('has other signing keys for each day and region, and none for days on which no valid URL was signed', async () => {
    const key = await make(await auth.account())
    for (const [days, region] of [
      [-7, 'us-east-1'],
      [0, 'eu-central-1'],
      [1, 'us-east-1'],
    ] as const) {
      const { body } = await find(key, dayOf(days), region)
      expect(body.signingKeys).toEqual([signingKey(key, dayOf(days), region)])
    }
    for (const date of [dayOf(-8), dayOf(2), '00000000', '99999999'])
      expect(await find(key, date)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
  })

  it('is refused when it is unknown, revoked with its parent, or expired', async () => {
    const owner = await auth.account()
    const parent = await make(owner)
    const child = await make(await auth.userOf(parent))
    expect((await find(child)).status).toBe(200)
    await auth.call(owner, 'DELETE', `${path}/${parent.id}`)
    for (const key of [parent, child]) expect((await find(key)).body.code).toBe('api_key_revoked')
    const brief = await make(owner, { expiresInDays: 1 })
    await auth.sql('update api_key set expires_at = now() where id = $1', [brief.id])
    expect((await find(brief)).body.code).toBe('api_key_expired')
    const unknown = { ...brief, s3: { ...brief.s3, accessKeyId: `TP${'A'.repeat(18)}` } }
    expect(await find(unknown)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
  })

  it('gets a new access key ID and secret by a rotation; both work during the overlap', async () => {
    const owner = await auth.account()
    const old = await make(owner)
    const { body: made } = await auth.call(owner, 'POST', `${path}/${old.id}/rotate`, { overlapSeconds: 60 })
    expect(made.s3AccessKeyId).toBe(made.s3.accessKeyId)
    expect(made.s3.accessKeyId).not.toBe(old.s3.accessKeyId)
    expect(made.s3.secretAccessKey).not.toBe(old.s3.secretAccessKey)
    for (const key of [old, made]) expect((await find(key)).body.signingKeys).toEqual([signingKey(key)])
  })

  it('keeps its secret while S3_API_SECRET_KEYS contains the key that made it', async () => {
    const owner = await auth.account()
    const old = await make(owner)
    try {
      s3SecretKeys.splice(0, 1, newKey, oldKey)
      const made = await make(owner)
      for (const key of [old, made]) expect((await find(key)).body.signingKeys).toContain(signingKey(key))
      s3SecretKeys.splice(0, 2, newKey)
      expect((await find(old)).body.signingKeys).not.toContain(signingKey(old))
      expect((await find(made)).body.signingKeys).toEqual([signingKey(made)])
    } finally {
      s3SecretKeys.splice(0, s3SecretKeys.length, oldKey)
    }
  })
})
