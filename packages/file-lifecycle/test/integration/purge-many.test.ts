import { rowsReadSoFar, settleTables } from '@tideport/testing/rows-read-so-far'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PurgedBatch, purgeFilesOfVault, purgeTrash } from '../../src/removal/purge.ts'
import type { FilesDb } from '../../src/state/tables.ts'
import { log, names, setup } from '../bundle.ts'

const settle = { settleSeconds: 3600, networks: names }
const FILES = 3_200
const OTHERS = 20_000

let t: Awaited<ReturnType<typeof setup>>
beforeAll(async () => {
  t = await setup()
})
afterAll(() => t[Symbol.asyncDispose]())

/** One connection, so its statistics can be flushed at once. */
const connect = () => t.database.open<FilesDb>({ log, poolSize: 1 })

/** An account with this many files in its vault. IDs begin with the given digits. */
async function fill(count: number, firstDigits: string, deletedAt: 'now()' | 'null' = 'null') {
  const owner = await t.newAccount()
  await t.database.sql(
    `insert into file (id, account_id, vault_id, name, mime_type, size_bytes, status, upload_key, upload_expires_at,
       created_at, deleted_at)
     select overlay(gen_random_uuid()::text placing $3 from 1 for 2)::uuid, $1, $2, 'x', 'image/jpeg', 0, 'cold', 'k',
       now(), now() - make_interval(secs => n / 3), ${deletedAt}
     from generate_series(1, ${count}) as n`,
    [owner.accountId, owner.vaultId, firstDigits],
  )
  await t.database.sql('update account set file_count = $2 where id = $1', [owner.accountId, count])
  await t.database.sql('update vault set file_count = $2 where id = $1', [
    owner.vaultId,
    deletedAt === 'null' ? count : 0,
  ])
  await settleTables(t.database.sql, 'file', 'vault', 'account')
  return owner
}

async function readSoFar(db: ReturnType<typeof connect>): Promise<number> {
  return await rowsReadSoFar(db, 'file')
}

describe('a purge of many files', () => {
  it.each([
    { of: 'a vault', deletedAt: 'null', purge: purgeFilesOfVault, by: 'vaultId' },
    { of: 'the trash', deletedAt: 'now()', purge: purgeTrash, by: 'accountId' },
  ] as const)('of $of reads and purges each file once, in batches', async ({ deletedAt, purge, by }) => {
    await fill(OTHERS, '00')
    const owner = await fill(FILES, 'ff', deletedAt)
    await using db = connect()
    const before = await readSoFar(db)
    const batches: PurgedBatch[] = []
    do batches.push(await purge(db, owner[by], settle, batches.at(-1)?.end ?? null))
    while (batches.at(-1)?.end)
    // Found, locked, and changed. Sorting the remaining rows for every batch would read 8,700 more.
    expect((await readSoFar(db)) - before).toBeLessThan(FILES * 3 + 100)
    expect(batches.map(({ purged }) => purged)).toEqual([500, 500, 500, 500, 500, 500, 200])
    expect(await purge(db, owner[by], settle, null)).toEqual({ purged: 0, end: null })
    const [account] = await t.database.sql('select file_count from account where id = $1', [owner.accountId])
    expect(account).toEqual({ file_count: '0' })
  })
})
