import { createPasskeyDevice } from '@tideport/testing/passkey-device'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { beforeEach, describe, expect, it } from 'vitest'
import { issueChallenge } from '../../src/owner/challenges.ts'
import { createFirstToken, createOperatorToken } from '../../src/owner/set-up-token.ts'
import { startAuth } from '../bundle.ts'
import { anyone, origin, ownerCalls, refused } from '../owner-calls.ts'

const auth = setUpOnce(startAuth)
beforeEach(() => auth.startOver())

const { begin, complete, firstToken, setUp, signInOptions, signIn, recover } = ownerCalls(auth)

describe('the set-up token', () => {
  it('is created by one of fifty processes that start together, and replaced by a later start', async () => {
    const tokens = (await Promise.all(Array.from({ length: 50 }, () => createFirstToken(auth.db)))).filter(Boolean)
    expect(tokens).toHaveLength(1)
    await auth.sql(`update set_up_token set created_at = now() - interval '61 seconds'`)
    const next = await firstToken()
    expect(await begin(tokens[0] as string)).toMatchObject({ status: 404 })
    expect(await begin(next)).toMatchObject({
      status: 200,
      body: { publicUrl: origin, passkey: { rp: { id: 'files.example' } } },
    })
  })

  it('of the log is created and valid only while the installation has no account', async () => {
    const token = await firstToken()
    await auth.account()
    for (const call of [begin, complete]) expect(await call(token)).toMatchObject({ status: 404 })
    await auth.sql(`update set_up_token set created_at = now() - interval '61 seconds'`)
    expect(await createFirstToken(auth.db)).toBeNull()
  })

  it('of the operator is valid for its time despite accounts, and a start does not replace it', async () => {
    await auth.account()
    const token = await createOperatorToken(auth.db, 3600)
    expect((await begin(token)).status).toBe(200)
    await auth.sql('delete from account')
    await auth.sql(`update set_up_token set created_at = now() - interval '61 seconds'`)
    expect(await createFirstToken(auth.db)).toBeNull()
    await auth.sql('update set_up_token set expires_at = now()')
    expect(await complete(token)).toMatchObject({ status: 404 })
  })

  it('gets the same 404 when it is wrong, used, or not needed', async () => {
    const none = await begin('wrong')
    const token = await firstToken()
    const wrong = await begin('wrong')
    await complete(token)
    const answers = [none, wrong, await complete('wrong'), await begin(token), await complete(token)]
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify({ status: 404, body: { error: 'Not found', code: 'not_found' } })]),
    )
  })
})

describe('the set-up', () => {
  it('creates one owner for many simultaneous requests', async () => {
    const token = await firstToken()
    const options = (await begin(token)).body.passkey
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        complete(token, index % 2 ? { name: 'p', credential: createPasskeyDevice(origin).create(options) } : undefined),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(19)
    expect(await auth.sql('select singleton from owner')).toHaveLength(1)
    const [{ count }] = (await auth.sql('select count(*)::int from passkey')) as [{ count: number }]
    expect(count).toBeLessThanOrEqual(1)
  })

  it('keeps the token when the passkey is refused', async () => {
    const token = await firstToken()
    const device = createPasskeyDevice(origin)
    const options = (await begin(token)).body.passkey
    const elsewhere = { name: 'p', credential: device.create(options, { origin: 'https://files.example.evil.test' }) }
    expect(await complete(token, elsewhere)).toMatchObject(refused('origin'))
    const other = { name: 'p', credential: device.create(await signInOptions()) }
    expect(await complete(token, other)).toMatchObject(refused('challenge'))
    const unverified = { name: 'p', credential: device.create(options, { isUserVerified: false }) }
    expect(await complete(token, unverified)).toMatchObject(refused('verification'))
    expect(await auth.sql('select id from account')).toEqual([])
    expect((await complete(token, { name: 'p', credential: device.create(options) })).status).toBe(201)
  })

  it('signs the owner in with full access for twelve hours, and records who did it', async () => {
    const { owner, session } = await setUp()
    expect(owner).toMatchObject({ scopes: null, keyId: session.id })
    expect(Date.parse(session.expiresAt) - Date.now()).toBeGreaterThan(11.9 * 3_600_000)
    const { body } = await auth.call(owner, 'GET', '/api/account/events')
    expect(
      body.events.map((event: { kind: string; actor: { method: string } }) => [event.kind, event.actor.method]),
    ).toEqual([
      ['key.created', 'set_up'],
      ['passkey.added', 'set_up'],
      ['owner.created', 'set_up'],
    ])
  })

  it('with an operator’s token gives the existing owner another passkey and recovery code', async () => {
    const { owner, recoveryCode } = await setUp()
    const token = await createOperatorToken(auth.db, 3600)
    const again = await complete(token)
    expect((await auth.userOf(again.body.session)).accountId).toBe(owner.accountId)
    expect((await recover(recoveryCode)).status).toBe(403)
    expect((await recover(again.body.recoveryCode)).status).toBe(201)
  })

  it('offers no passkeys at an address at which browsers allow none', async () => {
    for (const publicUrl of ['http://files.example', 'https://192.0.2.7', 'https://[2001:db8::7]']) {
      await using other = await startAuth({ publicUrl })
      const token = (await createFirstToken(other.db)) as string
      const call = (path: string, body: object) => other.call(anyone, 'POST', path, body)
      expect((await call('/api/set-up/options', { token })).body).toEqual({ publicUrl, passkey: null })
      expect((await call('/api/sign-in/passkey/options', {})).status).toBe(404)
      expect((await call('/api/set-up', { token })).status).toBe(201)
    }
  })
})

describe('a sign-in with a passkey', () => {
  it('returns a new session, and each challenge works once', async () => {
    const { device, owner } = await setUp()
    const options = await signInOptions()
    const credential = device.sign(options)
    const { status, body } = await signIn(credential)
    expect([status, await auth.userOf(body.session)]).toMatchObject([201, { accountId: owner.accountId, scopes: null }])
    expect(await signIn(credential)).toMatchObject(refused('challenge'))
    expect(await signIn(device.sign(options))).toMatchObject(refused('challenge'))
    const racing = device.sign(await signInOptions())
    const answers = await Promise.all(Array.from({ length: 10 }, () => signIn(racing)))
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1)
  })

  it('is refused for other origins, ceremonies, passkeys, copies, and unverified users', async () => {
    const { device, owner } = await setUp()
    const options = await signInOptions()
    const adding = (await auth.call(owner, 'POST', '/api/account/passkeys/options')).body
    const attempts = {
      origin: device.sign(options, { origin: 'http://files.example' }),
      'origin ': device.sign(options, { rpId: 'evil.test' }),
      challenge: device.sign(adding),
      'challenge ': device.sign(options, { type: 'webauthn.create' }),
      'challenge  ': device.sign(options, { challenge: Buffer.from('mine').toString('base64url') }),
      verification: device.sign(options, { isUserVerified: false }),
      unknown: createPasskeyDevice(origin).sign(options),
      counter: device.sign(options, { counter: 1 }),
      invalid: { ...device.sign(options), response: { ...device.sign(options).response, signature: 'AAAA' } },
    }
    for (const [reason, credential] of Object.entries(attempts)) {
      expect(await signIn(credential), reason).toMatchObject(refused(reason.trim()))
    }
    const forged = {
      ...device.sign(options).response,
      signature: createPasskeyDevice(origin).sign(options).response.signature,
    }
    expect(await signIn({ ...device.sign(options), response: forged })).toMatchObject(refused('invalid'))
    // Refused attempts do not use up the challenge.
    expect((await signIn(device.sign(options, { counter: 100 }))).status).toBe(201)
  })

  it('is refused when the challenge has expired', async () => {
    const { device } = await setUp()
    const challenge = await issueChallenge(auth.db, 'sign-in', -1)
    expect(await signIn(device.sign({ challenge }))).toMatchObject(refused('challenge'))
  })
})

describe('a sign-in with the recovery code', () => {
  it('replaces the code, accepts it as people type it, and of simultaneous requests one succeeds', async () => {
    const { recoveryCode, owner } = await setUp({ hasPasskey: false })
    expect(recoveryCode).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){6}[0-9A-HJKMNP-TV-Z]{4}$/)
    const typed = recoveryCode.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')
    const answers = await Promise.all(Array.from({ length: 10 }, () => recover(typed)))
    const [signedIn] = answers.filter(({ status }) => status === 201)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(9)
    expect((await auth.userOf(signedIn?.body.session)).accountId).toBe(owner.accountId)
    expect(await recover(recoveryCode)).toMatchObject({ status: 403, body: { code: 'wrong_recovery_code' } })
    expect((await recover(signedIn?.body.recoveryCode)).status).toBe(201)
  })
})
