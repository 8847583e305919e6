import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { prune } from '../../src/delivery/prune-log.ts'
import { fileEvent, setup } from './setup.ts'

const t = setUpOnce(setup)

const DAY_SECONDS = 86_400

describe('prune', () => {
  it('deletes only deliveries that are older than the retention period, with their attempts', async () => {
    const hook = await t.webhook()
    for (let index = 0; index < 3; index++) await t.call(hook.account, 'POST', `${hook.path}/test`)
    const [old, edge, fresh] = await t.database.sql('select id from delivery order by id')
    const age = (id: string, days: string) =>
      t.database.sql('update delivery set created_at = now() - $2::interval where id = $1', [id, days])
    await age(old?.id, '30 days 1 minute')
    await age(edge?.id, '29 days 23 hours')
    await prune(t.db, 30 * DAY_SECONDS)
    expect(await t.database.sql('select id from delivery order by id')).toEqual([edge, fresh])
    expect(await t.database.sql('select from attempt')).toHaveLength(2)
  })

  it('keeps deliveries that are pending or in progress, however old they are', async () => {
    const hook = await t.webhook()
    await t.receive(fileEvent(hook.account))
    await t.call(hook.account, 'POST', `${hook.path}/test`)
    await t.database.sql(`update delivery set claimed_until = now() + interval '1 minute' where is_test`)
    await t.database.sql(`update delivery set created_at = now() - interval '90 days'`)
    await prune(t.db, 30 * DAY_SECONDS)
    expect(await t.database.sql('select from delivery')).toHaveLength(2)
  })

  it('continues in batches until nothing is left, also in simultaneous runs', async () => {
    const hook = await t.webhook()
    await t.database.sql(
      `insert into delivery (id, webhook_id, event_id, event, body, next_attempt_at, created_at)
       select gen_random_uuid(), $1, gen_random_uuid(), 'file.hot', '{}', null, now() - interval '31 days'
       from generate_series(1, 3500)`,
      [hook.id],
    )
    await Promise.all([prune(t.db, 30 * DAY_SECONDS), prune(t.db, 30 * DAY_SECONDS)])
    await prune(t.db, 30 * DAY_SECONDS)
    expect(await t.database.sql('select from delivery')).toEqual([])
  })
})
