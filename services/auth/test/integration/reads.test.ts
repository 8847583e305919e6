import { rowsReadSoFar, settleTables } from '@tideport/testing/rows-read-so-far'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { forgetEvents } from '../../src/audit/record-event.ts'
import { keysPerAccountMax } from '../../src/keys/limits.ts'
import { startAuth } from '../bundle.ts'

const REVOKED = 5000

let auth: Awaited<ReturnType<typeof startAuth>>
beforeAll(async () => {
  // One connection, so that its statistics can be flushed immediately.
  auth = await startAuth({ poolSize: 1 })
})
afterAll(() => auth[Symbol.asyncDispose]())

it('reads a page of keys without reading revoked keys', async () => {
  const owner = await auth.account()
  await auth.sql(
    `insert into api_key (id, account_id, name, key_prefix, digest, created_at, revoked_at)
     select gen_random_uuid(), $1, n::text, 'tdp_', sha256(n::text::bytea), now() - make_interval(secs => n),
       case when n < ${REVOKED} then now() end
     from generate_series(1, ${REVOKED + 1}) as n`,
    [owner.accountId],
  )
  await settleTables(auth.sql, 'api_key')
  const readSoFar = () => rowsReadSoFar(auth.db, 'api_key')
  for (const query of ['', 'order=asc', 'sortBy=name', 'sortBy=name&order=asc']) {
    const before = await readSoFar()
    const { body } = await auth.call(owner, 'GET', `/api/auth/api-keys?limit=1&${query}`)
    const next = await auth.call(owner, 'GET', `/api/auth/api-keys?limit=1&${query}&cursor=${body.nextCursor}`)
    expect([...body.apiKeys, ...next.body.apiKeys]).toHaveLength(2)
    expect(next.body.nextCursor).toBeNull()
    expect((await readSoFar()) - before, query).toBeLessThan(REVOKED / 10)
  }
})

it('deletes old audit log entries without reading the others', async () => {
  const { accountId } = await auth.account()
  await auth.sql(
    `insert into audit_event (id, account_id, kind, subject_id, method, request_id, details, at)
     select gen_random_uuid(), $1, 'key.created', $1, 'system', 'r', '{}', now() - make_interval(hours => n / 1000)
     from generate_series(1, 8000) as n`,
    [accountId],
  )
  await settleTables(auth.sql, 'audit_event')
  const readSoFar = () => rowsReadSoFar(auth.db, 'audit_event')
  const before = await readSoFar()
  expect(await forgetEvents(auth.db, 6.5 * 3600)).toBe(1000)
  expect((await readSoFar()) - before).toBeLessThanOrEqual(3000)
})

it('revokes a key with the maximum number of keys of an account in few reads of each', async () => {
  const owner = await auth.account()
  const { body } = await auth.call(owner, 'POST', '/api/auth/api-keys', { name: 'k' })
  await auth.sql(`insert into api_key (id, account_id, name, key_prefix, digest, parent_id)
    select gen_random_uuid(), '${owner.accountId}', 'child', 'tdp_many', sha256(uuid_send(gen_random_uuid())), '${body.id}'
    from generate_series(1, ${keysPerAccountMax - 1})`)
  await settleTables(auth.sql, 'api_key')
  const readSoFar = () => rowsReadSoFar(auth.db, 'api_key', 'audit_event')
  const before = await readSoFar()
  expect((await auth.call(owner, 'DELETE', `/api/auth/api-keys/${body.id}`)).status).toBe(200)
  expect((await readSoFar()) - before).toBeLessThanOrEqual(10 * keysPerAccountMax)
})
