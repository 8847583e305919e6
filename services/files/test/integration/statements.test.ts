import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { clientOf, put } from '../client.ts'

// With one connection, Postgres lists all prepared statements of the service.
const t = sharedBundle({ env: { DATABASE_POOL_SIZE: '1' } })
const client = clientOf(t)

interface Prepared {
  statement: string
  genericPlans: number
  customPlans: number
}

async function prepared(): Promise<Prepared[]> {
  const { rows } = await sql<Prepared>`
    select statement, generic_plans, custom_plans from pg_prepared_statements`.execute(t.db)
  return rows
}

/** The statements that ran between two snapshots, each as often as it ran. */
function executed(before: Prepared[], after: Prepared[]): string[] {
  const times = new Map(before.map((row) => [row.statement, row.genericPlans + row.customPlans]))
  return after.flatMap(({ statement, genericPlans, customPlans }) =>
    Array<string>(genericPlans + customPlans - (times.get(statement) ?? 0)).fill(statement),
  )
}

const isWriting = (statement: string) => /\b(insert into|update|delete from)\s/i.test(statement)

async function requested() {
  const { body } = await client.requestUpload({ vaultId: await client.defaultVault(), sizeBytes: 5 })
  await put(body, 'hello')
  return body.fileId as string
}
const confirmed = async () => (await client.hotFile('hello')).id as string
const confirm = (id: string) => client.call('POST', `/api/files/${id}/confirm`)
const download = (id: string) => client.call('GET', `/api/files/${id}/download`)

describe('the calls that every client makes', () => {
  it.each([
    { call: 'request an upload', writes: 2, prepare: async () => '', act: requested },
    { call: 'confirm', writes: 2, prepare: requested, act: confirm },
    { call: 'download', writes: 0, prepare: confirmed, act: download },
    { call: 'read', writes: 0, prepare: confirmed, act: (id: string) => client.call('GET', `/api/files/${id}`) },
    { call: 'list', writes: 0, prepare: confirmed, act: () => client.call('GET', '/api/files?status=hot') },
    { call: 'search', writes: 0, prepare: confirmed, act: () => client.call('GET', '/api/files?q=cat') },
  ])('$call: $writes writing statements, and none is prepared or planned again', async ({ writes, prepare, act }) => {
    // Postgres plans each of the first five executions of a statement, and then uses a generic plan.
    for (let round = 0; round < 7; round += 1) await act(await prepare())
    const subject = await prepare()
    const before = await prepared()
    await act(subject)
    const after = await prepared()
    expect(executed(before, after).filter(isWriting)).toHaveLength(writes)
    expect(after.length).toBe(before.length)
    const custom = (rows: Prepared[]) => new Map(rows.map((row) => [row.statement, row.customPlans]))
    const known = custom(before)
    const plannedAnew = [...custom(after)].filter(([statement, plans]) => plans > (known.get(statement) ?? 0))
    expect(plannedAnew.map(([statement]) => statement)).toEqual([])
  })

  it('a page of many files runs as many statements as a page of a single file', async () => {
    const owner = clientOf(t)
    for (let file = 0; file < 12; file += 1) await owner.hotFile('hello')
    const statementsOf = async (limit: number) => {
      const before = await prepared()
      expect((await owner.call('GET', `/api/files?limit=${limit}`)).body.files).toHaveLength(limit)
      return executed(before, await prepared()).length
    }
    await statementsOf(1)
    expect(await statementsOf(12)).toBe(await statementsOf(1))
  })
})
