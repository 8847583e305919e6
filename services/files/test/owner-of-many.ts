import { expect } from 'vitest'
import type { Bundle } from './bundle.ts'
import { clientOf } from './client.ts'
import { finishJob } from './exporting.ts'

/** An account with an empty vault, and functions that upload files there and change many files. */
export async function ownerOfMany(t: Bundle) {
  const client = clientOf(t)
  const { id: vaultId } = await client.createVault('Many', 'public')
  const send = async (path: string, onConflict = 'keep'): Promise<string> => {
    const url = `/api/vaults/${vaultId}/content/${path}?onConflict=${onConflict}`
    return (await client.call('PUT', url, { body: 'hello' })).body.id
  }
  const many = (what: string, json: object, more = {}) =>
    client.call('POST', `/api/vaults/${vaultId}/${what}`, { json, ...more })
  /** Requests a job and waits until it has finished. */
  const job = async (what: string, json: object) => {
    const asked = await many(what, json)
    if (asked.status !== 200) throw new Error(`The job was refused: ${JSON.stringify(asked.body)}`)
    return await finishJob(t, client, asked.body.job.id)
  }
  const paths = async (where = 'deleted_at is null', of = vaultId) =>
    (
      await t.database.sql<{ path: string }>(
        `select path from file where vault_id = $1 and purging_at is null and ${where} order by path, coalesce(place_id, id)`,
        [of],
      )
    ).map(({ path }) => path)
  return { ...client, vaultId, send, many, job, paths }
}

/** Expects the counters of the account and of all its vaults to match the rows. */
export async function expectCounted(t: Bundle, { accountId }: { accountId: string }): Promise<void> {
  const vaults = await t.database.sql(
    `select id from vault, lateral (
       select count(*) as files, coalesce(sum(size_bytes), 0) as bytes from file
       where vault_id = vault.id and deleted_at is null and purging_at is null) as rows
     where account_id = $1 and (file_count <> files or storage_bytes <> bytes)`,
    [accountId],
  )
  const accounts = await t.database.sql(
    `select id from account, lateral (
       select count(*) as files, coalesce(sum(size_bytes), 0) as bytes,
         count(*) filter (where status = 'uploading') as uploads
       from file where account_id = account.id and purging_at is null) as rows
     where id = $1 and (file_count <> files or storage_bytes <> bytes or open_uploads <> uploads)`,
    [accountId],
  )
  expect([vaults, accounts]).toEqual([[], []])
}
