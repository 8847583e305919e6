import { clientAddressHeader } from '@tideport/contracts/internal/request-headers'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { spawnProgram } from '@tideport/testing/spawn-program'
import { describe, expect, it } from 'vitest'
import { forgetEvents } from '../../src/audit/record-event.ts'
import { startAuth } from '../bundle.ts'

const t = setUpOnce(startAuth)

type Account = Awaited<ReturnType<typeof t.account>>
const path = '/api/account/events'

async function createKey(account: Account, name = 'Script') {
  const from = { [clientAddressHeader]: '2001:db8::7', 'x-request-id': `request-${name}` }
  return (await t.call(account, 'POST', '/api/auth/api-keys', { name, expiresInDays: 1 }, from)).body
}

const kindsOf = (events: { kind: string }[]) => events.map(({ kind }) => kind)

describe('GET /api/account/events', () => {
  it('lists key changes and the first login with actor, address, and request, without secrets', async () => {
    const account = await t.account('ann')
    await t.ask('/internal/accounts/resolve', { issuer: 'test', subject: 'ann', method: 'jwt', clientAddress: null })
    const key = await createKey(account)
    const byKey = {
      ...account,
      method: 'api_key',
      subject: undefined,
      keyId: key.id,
      keyPrefix: key.keyPrefix,
    } as const
    for (let times = 0; times < 3; times++) await t.call(byKey, 'DELETE', `/api/auth/api-keys/${key.id}`)
    const { body, status } = await t.call(account, 'GET', path)
    expect([status, kindsOf(body.events)]).toEqual([200, ['key.revoked', 'key.created', 'account.created']])
    const [revoked, created, seen] = body.events
    const actor = { method: 'jwt', keyId: null, keyPrefix: null, subject: 'ann' }
    expect(seen).toMatchObject({ actor, clientAddress: '192.0.2.1', subjectId: account.accountId })
    const details = { name: 'Script', keyPrefix: key.keyPrefix, scopes: null, expiresAt: key.expiresAt }
    const where = { clientAddress: '2001:db8::7', requestId: 'request-Script' }
    expect(created).toMatchObject({ subjectId: key.id, actor, ...where, details })
    const keyActor = { method: 'api_key', keyId: key.id, keyPrefix: key.keyPrefix, subject: null }
    expect(revoked).toMatchObject({ subjectId: key.id, actor: keyActor, clientAddress: null, details })
    expect(JSON.stringify(body)).not.toContain(key.key)
  })

  it('shows no entries of other accounts and none for rejected requests', async () => {
    const [ann, bob] = [await t.account(), await t.account()]
    const key = await createKey(ann)
    expect((await t.call(bob, 'DELETE', `/api/auth/api-keys/${key.id}`)).status).toBe(404)
    expect(kindsOf((await t.call(bob, 'GET', path)).body.events)).toEqual(['account.created'])
    expect(kindsOf((await t.call(ann, 'GET', path)).body.events)).toEqual(['key.created', 'account.created'])
  })

  it('shows and filters entries of kinds and methods that only a newer version knows', async () => {
    const account = await t.account()
    await t.sql(
      `insert into audit_event (id, account_id, kind, subject_id, method, details)
       values (gen_random_uuid(), $1, 'key.lent', $1, 'telepathy', '{}')`,
      [account.accountId],
    )
    const { status, body } = await t.call(account, 'GET', `${path}?kind=key.lent`)
    expect([status, body.events]).toMatchObject([200, [{ kind: 'key.lent', actor: { method: 'telepathy' } }]])
    expect(kindsOf((await t.call(account, 'GET', path)).body.events)).toContain('key.lent')
  })

  it('needs account:read', async () => {
    const account = await t.account()
    expect((await t.call({ ...account, scopes: ['keys:read'] }, 'GET', path)).status).toBe(403)
    expect((await t.call({ ...account, scopes: ['account:read'] }, 'GET', path)).status).toBe(200)
  })

  it('pages through all entries once, by kind and time, and rejects the cursor of another list', async () => {
    const account = await t.account()
    const names = ['a', 'b', 'c', 'd', 'e']
    for (const name of names) await createKey(account, name)
    await t.sql('update audit_event set at = $2 where account_id = $1', [account.accountId, '2026-01-02T00:00:00Z'])
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query = `?kind=key.created&limit=2${cursor && `&cursor=${cursor}`}`
      const { body } = await t.call(account, 'GET', path + query)
      seen.push(...body.events.map(({ details }: { details: { name: string } }) => details.name))
      cursor = body.nextCursor
    }
    expect(seen.toSorted()).toEqual(names)
    const count = async (query: string) => (await t.call(account, 'GET', `${path}?${query}`)).body.events.length
    expect(await count('after=2026-01-02T00:00:00Z&before=2026-01-02T00:00:01Z')).toBe(6)
    expect(await count('before=2026-01-02T00:00:00Z')).toBe(0)
    const { nextCursor } = (await t.call(account, 'GET', `${path}?limit=1`)).body
    for (const query of [
      `kind=key.created&cursor=${nextCursor}`,
      'cursor=nonsense',
      'kind=nonsense',
      'after=nonsense',
    ]) {
      expect((await t.call(account, 'GET', `${path}?${query}`)).status).toBe(400)
    }
  })

  it('rolls back a key whose entry cannot be written', async () => {
    const account = await t.account()
    await t.sql(`alter table audit_event add constraint none check (details ->> 'name' <> 'Unlucky')`)
    expect((await t.call(account, 'POST', '/api/auth/api-keys', { name: 'Unlucky' })).status).toBe(500)
    expect((await t.call(account, 'GET', '/api/auth/api-keys')).body.apiKeys).toEqual([])
    await t.sql('alter table audit_event drop constraint none')
  })
})

it('deletes only entries that are older than the retention period', async () => {
  const account = await t.account()
  await createKey(account)
  await t.sql(`update audit_event set at = now() - interval '2 hours' where account_id = $1 and kind = 'key.created'`, [
    account.accountId,
  ])
  expect(await forgetEvents(t.db, 3600)).toBeGreaterThan(0)
  expect(await forgetEvents(t.db, 3600)).toBe(0)
  expect(kindsOf((await t.call(account, 'GET', path)).body.events)).toEqual(['account.created'])
})

it('list-audit-events prints the entries about an account, and fails with one sentence for an unknown ID', async () => {
  const account = await t.account('ann')
  await createKey(account)
  const list = async (id: string) => {
    const file = new URL('../../src/list-audit-events.ts', import.meta.url)
    await using program = spawnProgram(file, { DATABASE_URL: t.databaseUrl }, ['--id', id, '--json'])
    const { code } = await program.ended
    return { code, ...program.output }
  }
  expect(await list(account.accountId)).toMatchObject({ code: 0, stdout: expect.stringContaining('key.created') })
  const id = crypto.randomUUID()
  expect(await list(id)).toEqual({ code: 1, stdout: '', stderr: `The audit log has no entries about ${id}.\n` })
})
