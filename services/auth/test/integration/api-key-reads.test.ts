import { rowsReadSoFar, settleTables } from '@tideport/testing/rows-read-so-far'
import { expect, it } from 'vitest'
import { startAuth } from '../bundle.ts'

const REVOKED = 5000

it('a page of keys is read without the revoked ones', async () => {
  // One connection, whose statistics can be told to be written at once.
  await using auth = await startAuth({ poolSize: 1 })
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
