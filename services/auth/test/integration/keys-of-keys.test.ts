import type { Scope } from '@tideport/contracts/endpoint/scope'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { holdAccount, keysPerAccountMax } from '../../src/keys/limits.ts'
import { type Account, type Key, path, startAuth } from '../bundle.ts'

const auth = setUpOnce(startAuth)

const withKey = (owner: Account, { id, keyPrefix }: Key, scopes: Scope[] | null = null): Account => {
  const { subject: _, ...account } = owner
  return { ...account, method: 'api_key', keyId: id, keyPrefix, scopes }
}
const revoke = (by: Account, { id }: Key) => auth.call(by, 'DELETE', `${path}/${id}`)

async function keysInUse(owner: Account): Promise<string[]> {
  return (await auth.call(owner, 'GET', path)).body.apiKeys.map(({ id }: Key) => id)
}

describe('a key that was created with a key', () => {
  it('expires no later than its parent', async () => {
    const owner = await auth.account()
    const [week, forever] = [await auth.makeKey(owner, { expiresInDays: 7 }), await auth.makeKey(owner)]
    const ends = async (maker: Key, body: object) => (await auth.makeKey(withKey(owner, maker), body)).expiresAt
    for (const longer of [{}, { expiresInDays: null }, { expiresInDays: 7 }, { expiresInDays: 3650 }])
      expect(await ends(week, longer)).toBe(week.expiresAt)
    expect(Date.parse((await ends(week, { expiresInDays: 1 })) ?? '')).toBeLessThan(Date.parse(week.expiresAt ?? ''))
    expect(await ends(forever, {})).toBeNull()
    expect(await ends(forever, { expiresInDays: 1 })).not.toBeNull()
  })

  it('is revoked with its parent, as are its own children, and the audit log names the actor of each revocation', async () => {
    const owner = await auth.account()
    const parent = await auth.makeKey(owner)
    const other = await auth.makeKey(owner)
    const children = [await auth.makeKey(withKey(owner, parent)), await auth.makeKey(withKey(owner, parent))] as const
    const grandchild = await auth.makeKey(withKey(owner, children[0]))
    expect(grandchild.parentId).toBe(children[0].id)
    await revoke(owner, children[1])
    expect(await revoke(withKey(owner, grandchild), parent)).toMatchObject({ status: 200, body: { id: parent.id } })
    expect(await keysInUse(owner)).toEqual([other.id])
    const { body } = await auth.call(owner, 'GET', '/api/account/events?kind=key.revoked')
    const told = body.events.map(({ subjectId, actor }: { subjectId: string; actor: { keyId: string } }) => [
      subjectId,
      actor.keyId,
    ])
    const byGrandchild = [parent, children[0], grandchild].map(({ id }) => [id, grandchild.id])
    expect(told.toSorted()).toEqual([[children[1].id, null], ...byGrandchild].toSorted())
  })

  it('cannot be created after its parent has expired or been revoked', async () => {
    const owner = await auth.account()
    const parent = await auth.makeKey(owner, { expiresInDays: 1 })
    await auth.sql(`update api_key set expires_at = now() where id = '${parent.id}'`)
    const refused = (code: string) => ({ status: 401, body: { code } })
    expect(await auth.make(withKey(owner, parent))).toMatchObject(refused('api_key_expired'))
    await revoke(owner, parent)
    expect(await auth.make(withKey(owner, parent))).toMatchObject(refused('api_key_revoked'))
  })

  it('is revoked when it is created during the revocation of its parent', async () => {
    const owner = await auth.account()
    const parent = await auth.makeKey(owner)
    const child = await auth.makeKey(withKey(owner, parent))
    const making = await auth.db.startTransaction().execute()
    await holdAccount(making, owner.accountId)
    const revoking = revoke(owner, parent)
    const isWaiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await waitFor(async () => (await auth.sql(isWaiting)).length > 0)
    const row = { id: crypto.randomUUID(), accountId: owner.accountId, name: 'late', keyPrefix: 'tdp_late' }
    const digest = Buffer.alloc(32, row.id)
    await making
      .insertInto('apiKey')
      .values({ ...row, digest, parentId: child.id, scopes: null, expiresAt: null })
      .execute()
    await making.commit().execute()
    expect((await revoking).status).toBe(200)
    expect(await keysInUse(owner)).toEqual([])
  })

  it('does not outlive its parent during simultaneous creations and revocations', async () => {
    const owner = await auth.account()
    const root = await auth.makeKey(owner)
    let family = [root]
    const grow = async (parent: Key) => {
      const { status, body } = await auth.make(withKey(owner, parent))
      if (status === 201) family = [...family, body]
      else expect(body).toMatchObject({ code: 'api_key_revoked' })
    }
    for (let round = 0; round < 4; round++) await Promise.all(family.map(grow))
    await Promise.all([
      ...family.map(grow),
      ...[root, ...family.slice(3, 6)].map(async (key) => expect((await revoke(owner, key)).status).toBe(200)),
      ...family.map(grow),
    ])
    expect(await keysInUse(owner)).toEqual([])
  })
})

describe('the keys of an account', () => {
  const addChildren = (owner: Account, { id }: Key, count: number) =>
    auth.sql(`insert into api_key (id, account_id, name, key_prefix, digest, parent_id)
      select gen_random_uuid(), '${owner.accountId}', 'child', 'tdp_many', sha256(uuid_send(gen_random_uuid())), '${id}'
      from generate_series(1, ${count})`)

  it('are limited in number, and can be revoked together', async () => {
    const owner = await auth.account()
    const thief = await auth.makeKey(owner)
    await addChildren(owner, thief, keysPerAccountMax - 1)
    for (const maker of [owner, withKey(owner, thief)])
      expect(await auth.make(maker)).toMatchObject({
        status: 409,
        body: { code: 'too_many_api_keys' },
      })
    expect((await auth.call(owner, 'DELETE', `${path}/${thief.id}`)).status).toBe(200)
    expect(await keysInUse(owner)).toEqual([])
    const told = `select from audit_event where account_id = '${owner.accountId}' and kind = 'key.revoked'`
    expect(await auth.sql(told)).toHaveLength(keysPerAccountMax)
    expect((await auth.makeKey(owner)).parentId).toBeNull()
  })

  it('count only while they are valid, and only for their account', async () => {
    const [owner, other] = [await auth.account(), await auth.account()]
    const root = await auth.makeKey(owner)
    await addChildren(owner, root, keysPerAccountMax - 1)
    expect((await auth.make(other)).status).toBe(201)
    const end = (column: string) =>
      auth.sql(`update api_key set ${column} = now() where id =
        (select id from api_key where parent_id = '${root.id}' and revoked_at is null and expires_at is null limit 1)`)
    for (const column of ['revoked_at', 'expires_at']) {
      await end(column)
      const making = await Promise.all([1, 2].map(() => auth.make(owner)))
      expect(making.map(({ status }) => status).toSorted()).toEqual([201, 409])
    }
  })
})
