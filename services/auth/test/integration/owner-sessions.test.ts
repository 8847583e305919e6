import { createPasskeyDevice } from '@tideport/testing/passkey-device'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { startAuth } from '../bundle.ts'
import { origin, ownerCalls, refused } from '../owner-calls.ts'

const auth = setUpOnce(startAuth)
const { setUp, signInOptions, signIn, recover } = ownerCalls(auth)

describe('a session', () => {
  it('creates and rotates keys that outlive it, like a login', async () => {
    const { owner, session } = await setUp()
    const key = await auth.makeKey(owner)
    expect(key).toMatchObject({ parentId: null, expiresAt: null })
    expect((await auth.call(owner, 'POST', `/api/auth/api-keys/${key.id}/rotate`, { overlapSeconds: 60 })).status).toBe(
      201,
    )
    const rotated = await auth.call(owner, 'POST', `/api/auth/api-keys/${session.id}/rotate`, { overlapSeconds: 60 })
    expect(rotated).toMatchObject({ status: 409 })
    await auth.call(owner, 'DELETE', `/api/auth/api-keys/${session.id}`)
    expect([(await auth.verify(session)).status, (await auth.verify(key)).status]).toEqual([401, 200])
    expect((await auth.make(owner)).body).toMatchObject({ code: 'api_key_revoked' })
  })

  it('is listed as a session and counts as no key; the hundredth next sign-in revokes it', async () => {
    const { owner, session, ...first } = await setUp()
    let { recoveryCode } = first
    const isListed = async () => {
      const { body } = await auth.call(owner, 'GET', '/api/auth/api-keys?limit=100')
      return body.apiKeys.every(({ isSession }: { isSession: boolean }) => isSession)
    }
    expect(await isListed()).toBe(true)
    await auth.sql(
      `insert into api_key (id, account_id, name, key_prefix, digest, is_session, expires_at, created_at)
       select gen_random_uuid(), $1, 's', 'tdp_', sha256(n::text::bytea), true, now() + interval '1 hour', now() - interval '1 hour'
       from generate_series(1, 98) n`,
      [owner.accountId],
    )
    recoveryCode = (await recover(recoveryCode)).body.recoveryCode
    expect((await auth.verify(session)).status).toBe(200)
    await auth.sql(`update api_key set created_at = now() - interval '2 hours' where id = $1`, [session.id])
    await recover(recoveryCode)
    expect(await auth.verify(session)).toMatchObject({ status: 401, body: { code: 'api_key_revoked' } })
  })

  it('is deleted by a sign-in after it has expired', async () => {
    const { session, device } = await setUp()
    await auth.sql(`update api_key set expires_at = now() - interval '1 second' where id = $1`, [session.id])
    await signIn(device.sign(await signInOptions()))
    expect(await auth.sql('select id from api_key where id = $1', [session.id])).toEqual([])
  })
})

describe('the passkeys of the owner', () => {
  it('are added, renamed, and deleted, and only existing ones sign in', async () => {
    const { owner, device } = await setUp()
    const options = (await auth.call(owner, 'POST', '/api/account/passkeys/options')).body
    expect(options.excludeCredentials).toEqual([{ type: 'public-key', id: device.id, transports: ['internal'] }])
    const laptop = createPasskeyDevice(origin)
    const added = await auth.call(owner, 'POST', '/api/account/passkeys', {
      name: 'Laptop',
      credential: laptop.create(options),
    })
    expect(added.status).toBe(201)
    const at = `/api/account/passkeys/${added.body.id}`
    expect((await auth.call(owner, 'PATCH', at, { name: 'Desk' })).body).toMatchObject({ name: 'Desk' })
    expect((await signIn(laptop.sign(await signInOptions()))).status).toBe(201)
    const list = async () => (await auth.call(owner, 'GET', '/api/account/passkeys')).body.passkeys
    expect(await list()).toMatchObject([
      { name: 'Phone', lastUsedAt: null },
      { name: 'Desk', lastUsedAt: expect.any(String) },
    ])
    expect((await auth.call(owner, 'DELETE', at)).status).toBe(200)
    expect((await auth.call(owner, 'DELETE', at)).status).toBe(404)
    expect(await signIn(laptop.sign(await signInOptions()))).toMatchObject(refused('unknown'))
    const { body } = await auth.call(owner, 'GET', '/api/account/events')
    expect(body.events.map(({ kind }: { kind: string }) => kind).slice(0, 4)).toEqual([
      'passkey.deleted',
      'key.created',
      'passkey.renamed',
      'passkey.added',
    ])
  })

  it('are at most twenty', async () => {
    const { owner } = await setUp()
    await auth.sql(`insert into passkey (id, credential_id, public_key, counter, transports, name)
      select gen_random_uuid(), n::text::bytea, '', 0, '{}', 'p' from generate_series(1, 19) n`)
    const options = (await auth.call(owner, 'POST', '/api/account/passkeys/options')).body
    const credential = createPasskeyDevice(origin).create(options)
    const added = await auth.call(owner, 'POST', '/api/account/passkeys', { name: 'p', credential })
    expect(added).toMatchObject({ status: 409, body: { code: 'too_many_passkeys' } })
  })

  it('and the recovery code are closed to keys of the owner and to other accounts', async () => {
    const { owner, recoveryCode } = await setUp()
    const key = await auth.userOf(await auth.makeKey(owner))
    for (const caller of [key, await auth.account()]) {
      for (const [method, path, body] of [
        ['GET', '/api/account/passkeys'],
        ['POST', '/api/account/passkeys/options'],
        ['POST', '/api/account/recovery-code'],
        ['DELETE', `/api/account/passkeys/${owner.accountId}`],
        ['PATCH', `/api/account/passkeys/${owner.accountId}`, { name: 'x' }],
      ] as const) {
        expect(await auth.call(caller, method, path, body), path).toMatchObject({
          status: 403,
          body: { code: 'insufficient_scope' },
        })
      }
    }
    const replaced = await auth.call(owner, 'POST', '/api/account/recovery-code')
    expect((await recover(recoveryCode)).status).toBe(403)
    expect((await recover(replaced.body.recoveryCode)).status).toBe(201)
  })
})
