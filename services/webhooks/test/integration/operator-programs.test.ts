import { randomBytes } from 'node:crypto'
import { createSecretBox } from '@tideport/service-kit/secrets/secret-box'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { resealSecrets } from '../../src/secrets/reseal-secrets.ts'
import { secretOwner } from '../../src/secrets/webhook-secret.ts'
import { exhausted, sendDue } from './exhausted.ts'
import { run } from './run-program.ts'
import { setup } from './setup.ts'

const [old, fresh] = [randomBytes(32), randomBytes(32)]
const t = setUpOnce(() => setup({ secretKeys: [old] }))

describe('list-exhausted', () => {
  it('lists dead-lettered deliveries in pages', async () => {
    const given = [await exhausted(t), await exhausted(t), await exhausted(t)]
    const first = await run(t, 'list-exhausted', ['--json', '--limit', '2'])
    const after = /"after":"([^"]+)"/.exec(first.stderr)?.[1] ?? ''
    const second = await run(t, 'list-exhausted', ['--json', '--limit', '2', '--after', after])
    expect([...first.rows, ...second.rows].map(({ deliveryId }) => deliveryId)).toEqual(
      given.map(({ deliveryId }) => deliveryId),
    )
    expect(first.rows[0]).toMatchObject({ event: 'file.hot', attempts: 10, statusCode: 500, isActive: true })
    expect(second.stderr).not.toContain('after')
    expect((await run(t, 'list-exhausted', ['--json', '--older-than-seconds', '3600'])).rows).toEqual([])
  })
})

describe('redeliver-exhausted', () => {
  it('plans one more attempt of each delivery by the rules for redeliveries, and none for a disabled webhook', async () => {
    const [on, off] = [await exhausted(t), await exhausted(t)]
    await t.call(off.hook.account, 'PATCH', off.hook.path, { active: false })
    const planned = async () =>
      (await t.database.sql('select id from delivery where is_redelivery')).map(({ id }) => id)

    expect(await run(t, 'redeliver-exhausted', ['--dry-run'])).toMatchObject({ code: 0 })
    expect(await planned()).toEqual([])
    const { code, stderr } = await run(t, 'redeliver-exhausted', ['--rate', '100'])
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('"planned":1,"refused":1') })
    expect(await planned()).toEqual([on.deliveryId])

    t.receiver.respondWith({ status: 200 })
    await sendDue(t)
    expect((await run(t, 'list-exhausted', ['--json'])).rows).toMatchObject([{ deliveryId: off.deliveryId, isActive: false }]) // biome-ignore format: one chain
  })
})

describe('re-encrypt-secrets', () => {
  const sealedOf = async (id: string) =>
    String((await t.database.sql('select secret_encrypted from webhook where id = $1', [id]))[0]?.secret_encrypted)

  it('encrypts every valid secret with the first key, and shows when the old key can be removed', async () => {
    const hooks = [await t.webhook(), await t.webhook()]
    const rotated = await t.webhook()
    await t.call(rotated.account, 'POST', `${rotated.path}/rotate-secret`)

    const { code, rows, stdout, stderr } = await run(t, 're-encrypt-secrets', ['--json'], [fresh, old])
    expect(code).toBe(0)
    expect(rows).toMatchObject([
      { key: 1, secrets: 4 },
      { key: 2, secrets: 0 },
    ])
    const onlyFresh = createSecretBox([fresh])
    for (const { id, account, secret } of hooks) {
      expect(onlyFresh.open(await sealedOf(id), secretOwner({ accountId: account.accountId, webhookId: id }))).toBe(secret) // biome-ignore format: one chain
      expect(stdout + stderr).not.toContain(secret)
    }
    const [before] = await t.database.sql<{ secret_encrypted: string }>('select secret_encrypted from previous_secret')
    const owner = secretOwner({ accountId: rotated.account.accountId, webhookId: rotated.id })
    expect(onlyFresh.open(String(before?.secret_encrypted), owner)).toBe(rotated.secret)

    const again = await sealedOf(String(hooks[0]?.id))
    await run(t, 're-encrypt-secrets', [], [fresh, old])
    expect(await sealedOf(String(hooks[0]?.id))).toBe(again)
  })

  it('keeps the result of a concurrent rotation, while services still encrypt with the old key', async () => {
    const hooks = await Promise.all(Array.from({ length: 20 }, () => t.webhook()))
    const rewriting = run(t, 're-encrypt-secrets', ['--json'], [fresh, old])
    const secrets = await Promise.all(
      hooks.map(async ({ account, path }) => (await t.call(account, 'POST', `${path}/rotate-secret`)).body.secret),
    )
    expect((await rewriting).code).toBe(0)
    const { rows } = await run(t, 're-encrypt-secrets', ['--json'], [fresh, old])
    expect(rows).toMatchObject([{ secrets: 40 }, { secrets: 0 }])
    for (const [index, { id, account }] of hooks.entries()) {
      const owner = secretOwner({ accountId: account.accountId, webhookId: id })
      expect(createSecretBox([fresh]).open(await sealedOf(id), owner)).toBe(secrets[index])
    }
  })

  it('never overwrites a rotation that is being committed', async () => {
    const { id, account } = await t.webhook()
    const owner = secretOwner({ accountId: account.accountId, webhookId: id })
    const rotated = createSecretBox([old]).seal('whsec_rotated', owner)
    const isWaiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    let rewriting: ReturnType<typeof resealSecrets> | undefined
    await t.db.transaction().execute(async (trx) => {
      await trx.updateTable('webhook').set({ secretEncrypted: rotated }).where('id', '=', id).execute()
      rewriting = resealSecrets(t.db, [fresh, old], { log: t.log, signal: new AbortController().signal })
      await waitFor(async () => (await t.database.sql(isWaiting)).length > 0, { what: 'the rewrite to wait' })
    })
    await rewriting
    expect(createSecretBox([fresh]).open(await sealedOf(id), owner)).toBe('whsec_rotated')
  })

  it('fails and prints the key ID when no key can decrypt a secret', async () => {
    const { id } = await t.webhook()
    const before = await sealedOf(id)
    const { code, rows, stderr } = await run(t, 're-encrypt-secrets', ['--json'], [fresh])
    expect(code).toBe(1)
    expect(rows).toMatchObject([
      { key: 1, secrets: 0 },
      { key: 'not given', keyId: before.split('.')[1], secrets: 1 },
    ])
    expect(stderr).toContain('1 secrets cannot be decrypted with any key')
    expect(await sealedOf(id)).toBe(before)
  })
})
