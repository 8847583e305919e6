import { setUpOnce } from '@tideport/testing/set-up-once'
import { type Random, withSeed } from '@tideport/testing/with-seed'
import { v7 as uuidv7 } from 'uuid'
import { expect, it } from 'vitest'
import { restoreFile, trashFile } from '../../src/removal/trash.ts'
import { restoreVault, trashVault } from '../../src/removal/trash-vault.ts'
import { moveFile } from '../../src/state/edit-file.ts'
import { reloadFile } from '../../src/state/queries.ts'
import type { FileRow } from '../../src/state/tables.ts'
import { must, names, setup } from '../bundle.ts'

const t = setUpOnce(setup)

const WRITERS = 30
const ROUNDS = 40
const FILES = 6

type Bundle = Awaited<ReturnType<typeof setup>>
type Act = (t: Bundle, file: FileRow, vaults: readonly string[], random: Random) => Promise<unknown>

const pick = <Item>(items: readonly Item[], random: Random): Item => items[Math.floor(random() * items.length)] as Item
const own = ({ id, accountId }: FileRow) => ({ fileId: id, accountId })

const move: Act = ({ db }, file, vaults) =>
  moveFile(db, file, { vaultId: vaults.find((id) => id !== file.vaultId) as string })
const throwAway: Act = ({ db }, file) => trashFile(db, own(file), { retentionSeconds: 60, networks: names })
const bringBack: Act = ({ db }, file) => restoreFile(db, own(file), { evictWaitSeconds: 0, networks: names })
const closeVault: Act = ({ db, accountId }, _, vaults, random) =>
  trashVault(db, { accountId, vaultId: pick(vaults, random) }, { force: true, retentionSeconds: 60 })
const openVault: Act = ({ db, accountId }, _, vaults, random) =>
  restoreVault(db, { accountId, vaultId: pick(vaults, random) })
const acts = [move, throwAway, bringBack, move, closeVault, openVault]

it('counters stay correct, without deadlocks or failed checks, while a few files and vaults are moved, trashed, and restored', async () => {
  const second = uuidv7()
  await t.database.sql(
    `insert into vault (id, account_id, name, visibility, slug) values ($1, $2, 'Second', 'public', 'second')`,
    [second, t.accountId],
  )
  const files = await Promise.all(Array.from({ length: FILES }, () => t.hotFile()))
  await withSeed(async (random) => {
    const write = async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const file = must(await reloadFile(t.db, pick(files, random).id))
        await pick(acts, random)(t, file, [t.vaultId, second], random)
      }
    }
    await Promise.all(Array.from({ length: WRITERS }, write))
    const counted = await t.database.sql(`
      select file_count::int, storage_bytes::int, (select count(*)::int from file
        where vault_id = vault.id and deleted_at is null) as files from vault`)
    for (const row of counted) expect([row.file_count, row.storage_bytes]).toEqual([row.files, Number(row.files) * 5])
  })
})

it('the database rejects every counter below zero', async () => {
  for (const change of ['vault set file_count = file_count - 1', 'account set hot_bytes = -1']) {
    await expect(t.database.sql(`update ${change}`), change).rejects.toMatchObject({ code: '23514' })
  }
})
