import { rowsReadSoFar, settleTables } from '@tideport/testing/rows-read-so-far'
import { expect, it } from 'vitest'
import { claimDeliveries } from '../../src/delivery/claim-deliveries.ts'
import { setup } from './setup.ts'

const WAITING = 4000
const LIMIT = 32

it('a claim reads no more deliveries than it may take, however many wait and were sent', async () => {
  // One connection, whose statistics can be told to be written at once.
  await using t = await setup({ poolSize: 1 })
  const hooks = [await t.webhook(), await t.webhook()]
  await t.database.sql(
    `insert into delivery (id, webhook_id, event_id, event, body, next_attempt_at, success)
     select gen_random_uuid(), id, gen_random_uuid(), 'file.hot', '{}', case when n <= ${WAITING} then now() - make_interval(secs => n) end,
       n > ${WAITING}
     from unnest($1::uuid[]) as id, generate_series(1, ${2 * WAITING}) as n`,
    [hooks.map(({ id }) => id)],
  )
  await t.database.sql('update webhook set slots = 32, next_due_at = now()')
  await settleTables(t.database.sql, 'delivery', 'webhook')
  const claim = () => claimDeliveries(t.db, { limit: LIMIT, claimSeconds: 600 })
  const before = await rowsReadSoFar(t.db, 'delivery')
  expect((await claim()).deliveries).toHaveLength(LIMIT)
  // Candidates of both, what is under way of both once for each question, and what was taken.
  expect((await rowsReadSoFar(t.db, 'delivery')) - before).toBeLessThanOrEqual(20 * LIMIT)
})
