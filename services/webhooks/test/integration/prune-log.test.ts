import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { prune } from '../../src/delivery/prune-log.ts'
import { fileEvent, setup } from './setup.ts'

const t = setUpOnce(setup)

const DAY_SECONDS = 86_400

describe('prune', () => {
  it('removes deliveries of before the retention with their attempts, and no others', async () => {
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

  it('leaves what is still to be sent or under way, however old', async () => {
    const hook = await t.webhook()
    await t.receive(fileEvent(hook.account))
    await t.call(hook.account, 'POST', `${hook.path}/test`)
    await t.database.sql(`update delivery set claimed_until = now() + interval '1 minute' where is_test`)
    await t.database.sql(`update delivery set created_at = now() - interval '90 days'`)
    await prune(t.db, 30 * DAY_SECONDS)
    expect(await t.database.sql('select from delivery')).toHaveLength(2)
  })

  it('goes on batch by batch until nothing is left, several at once', async () => {
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
