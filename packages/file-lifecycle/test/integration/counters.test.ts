import { isUnavailable } from '@tideport/service-kit/postgres/database-errors'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { type Random, withSeed } from '@tideport/testing/with-seed'
import { v7 as uuidv7 } from 'uuid'
import { expect, it } from 'vitest'
import { forgetCopy } from '../../src/copies/reconcile.ts'
import {
  nameRehydrated,
  recordDropped,
  recordRehydrated,
  requestRehydration,
} from '../../src/rehydrate/rehydrate-file.ts'
import { abortUpload, purgeConfirmed, purgeTrash } from '../../src/removal/purge.ts'
import { restoreFile, trashFile } from '../../src/removal/trash.ts'
import { purgeTrashedVaults, purgeVault, restoreVault, trashVault } from '../../src/removal/trash-vault.ts'
import { type ClaimedCopy, markLost, markStored } from '../../src/state/copy-transitions.ts'
import { moveFile } from '../../src/state/edit-file.ts'
import { withCopies } from '../../src/state/file-copies.ts'
import { reloadFile } from '../../src/state/queries.ts'
import type { FileRow } from '../../src/state/tables.ts'
import { markCold, markFailed, markHot, markRetried } from '../../src/state/transitions.ts'
import { foldUsage, readNetworkUsage } from '../../src/state/usage-days.ts'
import { claimFor } from '../../src/work/claim-step.ts'
import { must, names, never, setup } from '../bundle.ts'

const t = setUpOnce(setup)

const settle = { settleSeconds: 0, networks: names }
const WRITERS = 50
const ROUNDS = 20

const STORED = { blobId: 'bafk', sha256: 'ab', leaseExpiresAt: null, hotRetentionSeconds: 0 }

type Owner = { accountId: string; vaultId: string }

/** On a very busy machine, a writer may get no connection, and writes nothing. */
function ignoreUnavailable(error: unknown): void {
  if (!isUnavailable(error)) throw error
}

/** The counters of every account and vault, and the same values counted from the rows. */
async function compareCounters() {
  const accounts = await t.database.sql(`
    select file_count, storage_bytes, hot_bytes, open_uploads, vault_count,
      (select count(*) from file where account_id = account.id and purging_at is null) as files,
      (select coalesce(sum(size_bytes), 0) from file where account_id = account.id and purging_at is null) as bytes,
      (select coalesce(sum(size_bytes), 0) from file where account_id = account.id and purging_at is null
        and status <> 'uploading' and hot_key is not null) as hot,
      (select count(*) from file where account_id = account.id and purging_at is null and status = 'uploading') as open,
      (select count(*) from vault where account_id = account.id) as vaults
    from account`)
  for (const row of accounts) {
    expect([row.file_count, row.storage_bytes, row.hot_bytes, row.open_uploads, row.vault_count]).toEqual(
      [row.files, row.bytes, row.hot, row.open, row.vaults].map(String),
    )
  }
  const vaults = await t.database.sql(`
    select file_count, storage_bytes,
      (select count(*) from file where vault_id = vault.id and purging_at is null and deleted_at is null) as files,
      (select coalesce(sum(size_bytes), 0) from file where vault_id = vault.id
        and purging_at is null and deleted_at is null) as bytes
    from vault`)
  for (const row of vaults) expect([row.file_count, row.storage_bytes]).toEqual([row.files, row.bytes].map(String))
  const usage = `
    select account_id, network, sum(copies)::int as copies, sum(bytes)::int as bytes from (
      select * from network_usage union all select * from network_usage_change) as every
    group by account_id, network having sum(copies) <> 0 or sum(bytes) <> 0 order by account_id, network`
  const held = `
    select account_id, network, count(*)::int as copies, (7 * sum(size_bytes))::int as bytes
    from file join copy on copy.file_id = file.id
    where purging_at is null and state in ('stored', 'proved') group by account_id, network order by account_id, network`
  expect(await t.database.sql(usage)).toEqual(await t.database.sql(held))
  return { accounts, vaults }
}

/** Random operations on files and vaults that other writers change at the same time. */
function createWriter(owners: Owner[], random: Random) {
  const { db } = t
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)]
  const owner = () => pick(owners) as Owner
  /** One of the newest few, so that writers collide and files reach late states. */
  const anyFile = async ({ accountId }: Owner) => {
    const rows = await t.database.sql<{ id: string }>(
      'select id from file where account_id = $1 and purging_at is null order by id desc limit 10',
      [accountId],
    )
    const row = pick(rows)
    return row ? { accountId, fileId: row.id } : null
  }
  const onFile = async (act: (file: { accountId: string; fileId: string }) => Promise<unknown>) => {
    const file = await anyFile(owner())
    if (file) await act(file)
  }
  const onRow = (act: (file: FileRow) => Promise<unknown>) =>
    onFile(async ({ fileId }) => {
      const file = await reloadFile(db, fileId)
      if (file) await act(file)
    })
  /** A worker's step: claim, then a transition of the rows as they were read. */
  const onCopy = (act: (claimed: ClaimedCopy) => Promise<unknown>, step: 'store' | 'prove' = 'store') =>
    onFile(async ({ fileId }) => {
      const claimed = await claimFor(t.writes, { fileId, network: 'embedded' }, step)
      if (claimed) await act(claimed)
    })

  const upload = async () =>
    t.request({ ...owner(), sizeBytes: 1 + Math.floor(random() * 100), openUploadsMax: 10_000 })
  const confirm = () =>
    onRow(async (file) => {
      if (file.status === 'uploading') await markHot(t.writes, file, names)
    })
  const move = () =>
    onRow(async (file) => {
      const target = owners.find(({ accountId, vaultId }) => accountId === file.accountId && vaultId !== file.vaultId)
      if (target) await moveFile(db, file, target)
    })
  const bringBack = () =>
    onRow(async (file) => {
      await requestRehydration(db, file)
      const claimed = await claimFor(t.writes, { fileId: file.id }, 'rehydrate')
      const named = claimed && (await nameRehydrated(db, claimed))
      if (named) await recordRehydrated(db, named, { hotRetentionSeconds: 0 })
    })
  const sync = () =>
    onCopy((claimed) => markStored(t.writes, claimed, names, { ...STORED, billedBytes: 7 * claimed.file.sizeBytes }))
  const lose = () => onCopy((claimed) => markLost(db, claimed, { reason: 'absent' }), 'prove')
  const evict = () =>
    onFile(async ({ fileId }) => {
      await t.database.sql(
        `update file set evicting_at = now(), evict_due_at = now() where id = $1 and hot_key is not null`,
        [fileId],
      )
      const file = await claimFor(t.writes, { fileId }, 'evict')
      if (file?.status === 'cold') await recordDropped(db, file)
      else if (file) await markCold(t.writes, file, names)
    })
  return [
    ...[upload, upload, upload, confirm, confirm, confirm],
    ...[sync, sync, sync, evict, evict, evict, bringBack, bringBack, move, move, move, lose],
    () => foldUsage(t),
    () => onFile(({ fileId }) => forgetCopy(db, fileId, 'embedded')),
    () => onCopy(({ file }) => markFailed(db, file, names, 'hot_copy_missing')),
    () => onRow(async (file) => markRetried(db, await withCopies(db, file), names)),
    () => onFile((file) => trashFile(db, file, { retentionSeconds: 60, networks: names })),
    () => onFile((file) => trashFile(db, file, { retentionSeconds: 60, networks: names })),
    () => onFile((file) => restoreFile(db, file, { evictWaitSeconds: 0, networks: names })),
    () => onFile((file) => purgeConfirmed(db, file, settle)),
    () => onFile((file) => abortUpload(db, file, settle)),
    () => purgeTrash(db, owner().accountId, settle, null),
    () => trashVault(db, owner(), { force: random() < 0.7, retentionSeconds: 60 }),
    () => restoreVault(db, owner()),
    () => restoreVault(db, owner()),
  ]
}

/** A file with a copy, in any state after the race. */
async function storeOne(owner: Owner): Promise<void> {
  await restoreVault(t.db, owner)
  const file = must(await t.request({ ...owner, openUploadsMax: 10_000 }))
  await markHot(t.writes, file, names)
  const claimed = must(await claimFor(t.writes, { fileId: file.id, network: 'embedded' }, 'store'))
  must(await markStored(t.writes, claimed, names, { ...STORED, billedBytes: 7 * file.sizeBytes }))
}

it('counters match a recount after 50 writers raced on the same files and vaults', async () => {
  const owners: Owner[] = []
  for (let account = 0; account < 2; account += 1) {
    const first = await t.newAccount()
    const second = { accountId: first.accountId, vaultId: uuidv7() }
    await t.database.sql(
      `insert into vault (id, account_id, name, visibility, slug) values ($1, $2, 'Second', 'public', 'second')`,
      [second.vaultId, second.accountId],
    )
    await t.database.sql('update account set vault_count = 2 where id = $1', [first.accountId])
    owners.push(first, second)
  }
  const { accounts } = await withSeed(async (random) => {
    const actions: (() => Promise<unknown>)[] = createWriter(owners, random)
    const write = async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await actions[Math.floor(random() * actions.length)]?.().catch(ignoreUnavailable)
      }
    }
    await Promise.all(Array.from({ length: WRITERS }, write))
    for (const owner of owners) await storeOne(owner)
    return await compareCounters()
  })
  expect(accounts.some((row) => Number(row.files) > 0)).toBe(true)
  const usages = () => Promise.all(owners.map(({ accountId }) => readNetworkUsage(t.db, accountId)))
  const before = await usages()
  while (await foldUsage(t)) {}
  expect(await t.database.sql('select from network_usage_change')).toEqual([])
  expect(await usages()).toEqual(before)
  expect(before.every(([usage]) => (usage?.copies ?? 0) > 0)).toBe(true)

  // After everything is purged, all counters are 0.
  for (const owner of owners) {
    await trashVault(t.db, owner, { force: true, retentionSeconds: 60 })
    await purgeTrashedVaults(t.db, owner.accountId)
  }
  await Promise.all(owners.flatMap(({ vaultId }) => [1, 2].map(() => purgeVault(t.db, vaultId, settle, never))))
  await compareCounters()
  await t.database.sql('delete from file')
  await t.database.sql('update vault set purge_due_at = now()')
  await Promise.all(owners.flatMap(({ vaultId }) => [1, 2].map(() => purgeVault(t.db, vaultId, settle, never))))
  const after = await compareCounters()
  const emptied = after.accounts.filter(({ vault_count }) => vault_count === '0')
  expect(emptied).toHaveLength(2)
  for (const row of emptied) expect([row.storage_bytes, row.hot_bytes, row.open_uploads]).toEqual(['0', '0', '0'])
})
