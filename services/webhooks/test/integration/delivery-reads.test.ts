import { rowsReadSoFar, settleTables } from '@tideport/testing/rows-read-so-far'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { claimDeliveries } from '../../src/delivery/claim-deliveries.ts'
import { prune } from '../../src/delivery/prune-log.ts'
import { ROWS_MAX } from '../../src/delivery/routes.ts'
import { setup } from './setup.ts'

const DELIVERIES = 3 * ROWS_MAX
/** One walk, plus a few rows that the plan may read. */
const READ_MAX = 1.5 * ROWS_MAX
/** Positions from the newest. All other deliveries are successful ones of file.hot. */
const failed = [10, ROWS_MAX, ROWS_MAX + 1, DELIVERIES]

let t: Awaited<ReturnType<typeof setup>>
let hook: Awaited<ReturnType<typeof t.webhook>>

beforeAll(async () => {
  // One connection, so that its statistics can be flushed immediately.
  t = await setup({ poolSize: 1 })
  hook = await t.webhook({ events: ['file.hot', 'file.cold', 'file.error'] })
  await t.database.sql(
    `insert into delivery (id, webhook_id, event_id, event, body, activation, next_attempt_at, success, created_at)
     select gen_random_uuid(), $1, gen_random_uuid(), case when n = any($2::int[]) then 'file.cold' else 'file.hot' end,
       n::text, 0, null, n <> all($2::int[]), now() - make_interval(secs => n / 10)
     from generate_series(1, ${DELIVERIES}) as n`,
    [hook.id, failed],
  )
  await settleTables(t.database.sql, 'delivery')
})
afterAll(() => t[Symbol.asyncDispose]())

const list = (query: string) => t.call(hook.account, 'GET', `${hook.path}/deliveries?limit=100&${query}`)

async function readToTheEnd(query: string) {
  const ids: string[] = []
  let shortPages = 0
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body } = await list(cursor === '' ? query : `${query}&cursor=${cursor}`)
    expect(status).toBe(200)
    ids.push(...body.deliveries.map(({ id }: { id: string }) => id))
    if (body.nextCursor !== null && body.deliveries.length < 100) shortPages += 1
    cursor = body.nextCursor
  }
  return { ids, shortPages }
}

const wanted = async (condition: string) => {
  const { rows } = await sql<{ id: string }>`
    select id from delivery where ${sql.raw(condition)} order by created_at desc, id desc`.execute(t.db)
  return rows.map(({ id }) => id)
}

async function rowsRead(query: string): Promise<number> {
  for (let round = 0; round < 7; round += 1) expect((await list(query)).status).toBe(200)
  const before = await readSoFar()
  expect((await list(query)).status).toBe(200)
  return (await readSoFar()) - before
}

const readSoFar = () => rowsReadSoFar(t.db, 'delivery')

it.each(['', 'success=false', 'success=true', 'event=file.cold', 'event=file.error', 'success=true&event=file.cold'])(
  'reads a page of deliveries without reading the others: %j',
  async (query) => {
    expect(await rowsRead(query)).toBeLessThanOrEqual(READ_MAX)
    const { body } = await list(query)
    if (body.nextCursor === null) return
    expect(await rowsRead(`${query}&cursor=${body.nextCursor}`)).toBeLessThanOrEqual(READ_MAX)
  },
)

it.each([
  ['success=false', 'not success'],
  ['event=file.cold', `event = 'file.cold'`],
  ['event=file.error', 'false'],
  ['success=true&event=file.cold', 'false'],
])('returns short pages for a rare filter, but every delivery once and in order: %s', async (query, condition) => {
  const { ids, shortPages } = await readToTheEnd(query)
  expect(ids).toEqual(await wanted(condition))
  expect(shortPages).toBe(DELIVERIES / ROWS_MAX)
})

it('returns full pages for a filter that matches most deliveries', async () => {
  const { ids, shortPages } = await readToTheEnd('success=true')
  expect(ids).toEqual(await wanted('success'))
  expect(shortPages).toBe(0)
})

it('charges for rows read, and nothing extra for a full page', async () => {
  expect((await list('event=file.error')).cost).toBe('5')
  for (const query of ['', 'success=true']) expect((await list(query)).cost).toBeUndefined()
})

it('a claim reads only about as many deliveries as it may take, however many are waiting or sent', async () => {
  const [WAITING, LIMIT] = [4000, 32]
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
  const before = await readSoFar()
  expect((await claimDeliveries(t.db, { limit: LIMIT, claimSeconds: 600 })).deliveries).toHaveLength(LIMIT)
  // Candidates of both webhooks, attempts in progress of both once per subquery, and the claimed deliveries.
  expect((await readSoFar()) - before).toBeLessThanOrEqual(20 * LIMIT)
})

it('pruning reads only about as many deliveries as it removes', async () => {
  const { id } = await t.webhook()
  const [old, young] = [3000, 9000]
  await t.database.sql(
    `insert into delivery (id, webhook_id, event_id, event, body, next_attempt_at, created_at)
     select gen_random_uuid(), $1, gen_random_uuid(), 'file.hot', '{}', null,
       now() - make_interval(days => case when n <= ${old} then 31 else 1 end)
     from generate_series(1, ${old + young}) as n`,
    [id],
  )
  await settleTables(t.database.sql, 'delivery', 'attempt')
  const before = await readSoFar()
  await prune(t.db, 30 * 86_400)
  expect((await readSoFar()) - before).toBeLessThanOrEqual(3 * old)
  expect(await t.database.sql('select from delivery where webhook_id = $1', [id])).toHaveLength(young)
})
