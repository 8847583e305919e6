import { rowsReadSoFar } from '@tideport/testing/rows-read-so-far'
import { expect, it } from 'vitest'
import { setup } from '../bundle.ts'
import { clientOf } from '../client.ts'

const EVENTS = 5000

it('a page of a timeline is read without the rest of it', async () => {
  // One connection, whose statistics can be told to be written at once.
  await using t = await setup({ env: { DATABASE_POOL_SIZE: '1' } })
  const owner = clientOf(t)
  const file = await owner.hotFile('hello')
  await t.database.sql(
    `insert into event (id, subject_kind, subject_id, account_id, type, is_public, at, payload, request_id, traceparent)
     select gen_random_uuid(), 'file', $1, $2, 'store.failed', false, now() + make_interval(secs => n), '{}', '', ''
     from generate_series(1, ${EVENTS}) as n`,
    [file.id, owner.accountId],
  )
  await t.database.sql('vacuum analyze event')
  const readSoFar = () => rowsReadSoFar(t.db, 'event')
  const path = `/api/files/${file.id}/timeline?limit=100`
  for (let round = 0, cursor = ''; round < 8; round += 1) {
    const before = await readSoFar()
    const { body } = await owner.call('GET', path + cursor)
    expect(body.timeline).toHaveLength(100)
    expect((await readSoFar()) - before).toBeLessThan(EVENTS / 10)
    cursor = `&cursor=${body.nextCursor}`
  }
})
