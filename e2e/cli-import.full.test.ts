import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  type Client,
  createVault,
  deleteFile,
  keepFolder,
  listFiles,
  listVaults,
  updateVault,
  upload,
  type Vault,
} from '@tideport/sdk'
import { expect, test } from 'vitest'
import { cliAccount } from './support/cli-account.ts'
import { runStatement } from './support/database.ts'
import { sharedStack } from './support/shared-stack.ts'

const rebuild = fileURLToPath(new URL('../docs/guides/rebuild.mjs', import.meta.url))
const names = Array.from({ length: 12 }, (_, n) => `many/${n}`)

/** An account with a vault of files, exported to `out`. */
async function exported() {
  const user = await cliAccount()
  const vault = await createVault(user.client, { name: 'Kept', visibility: 'public' })
  for (const path of names) {
    await upload(user.client, new TextEncoder().encode(path), { vaultId: vault.id, fields: { path } })
  }
  await keepFolder(user.client, { vaultId: vault.id, path: 'empty/with a folder' })
  expect(await user.tideport(['export', 'out'])).toMatchObject({ code: 0 })
  return { ...user, vault, from: join(user.folder, 'out') }
}

/** The ID as if the object had been created 18 hours earlier. */
const older = (id: string) => (Number.parseInt(id.slice(0, 8), 16) - 1000).toString(16).padStart(8, '0') + id.slice(8)

/**
 * Changes all IDs, so that the export looks foreign. Returns the new IDs, except for the default vault, which every
 * account has.
 */
async function renameAll(folder: string): Promise<string[]> {
  const ids: string[] = []
  for (const name of (await readdir(folder)).filter((file) => file.startsWith('manifest-'))) {
    const text = await readFile(join(folder, name), 'utf8')
    const lines = text.split('\n').map((line) => {
      if (!/"type":"(vault|folder|file)"/.test(line)) return line
      const { id, vaultId, ...rest } = JSON.parse(line)
      if (id && !rest.isDefault) ids.push(older(id))
      return JSON.stringify({ ...(id && { id: older(id) }), ...(vaultId && { vaultId: older(vaultId) }), ...rest })
    })
    await writeFile(join(folder, name), lines.join('\n'))
  }
  return ids
}

async function filesOf(client: Client): Promise<{ vaults: Vault[]; files: Map<string, string> }> {
  const { vaults } = await listVaults(client, {}).page()
  const files = new Map<string, string>()
  for await (const { path, id } of listFiles(client, {})) files.set(`${path} ${id}`, id)
  return { vaults: vaults.filter(({ isDefault }) => !isDefault), files }
}

async function countOpen(client: Client): Promise<number> {
  let open = 0
  for await (const { status } of listFiles(client, {})) if (status === 'uploading') open += 1
  return open
}

test.concurrent('two concurrent imports of one export both import all files, and each ID goes to one of them', async () => {
  await using user = await exported()
  await using first = await cliAccount()
  await using second = await cliAccount()
  const ids = await renameAll(user.from)
  const runs = await Promise.all([first, second].map(({ tideport }) => tideport(['import', user.from, '--json'])))
  const told = runs.flatMap(({ values }) => values())
  expect([runs.map(({ code }) => code), told.length]).toEqual([[0, 0], 2 * names.length])
  const kept = told.filter(({ isIdKept }) => isIdKept)
  expect(kept.map(({ fileId }) => fileId).toSorted()).toEqual(kept.map(({ exportedId }) => exportedId).toSorted())
  const all = await Promise.all([first, second].map(({ client }) => filesOf(client)))
  expect(all.map(({ files }) => files.size)).toEqual([names.length, names.length])
  const made = all.flatMap(({ vaults, files }) => [...vaults.map(({ id }) => id), ...files.values()])
  expect(new Set(made).size).toBe(made.length)
  expect(ids.filter((id) => !made.includes(id))).toEqual([])
})

test.concurrent('an import keeps files that await review hidden', async () => {
  await using user = await cliAccount()
  await using other = await cliAccount()
  const { id: vaultId } = await createVault(user.client, { name: 'Inbox', visibility: 'public' })
  for (const awaitingReview of [true, false]) {
    const fields = { path: awaitingReview ? 'theirs' : 'mine', awaitingReview }
    await upload(user.client, new TextEncoder().encode('x'), { vaultId, fields })
  }
  expect(await user.tideport(['export', 'out'])).toMatchObject({ code: 0 })
  const out = join(user.folder, 'out')
  await renameAll(out)
  expect(await other.tideport(['import', out])).toMatchObject({ code: 0 })
  const { files } = await listFiles(other.client, { awaitingReview: true }).page()
  expect(files.map(({ path }) => path)).toEqual(['theirs'])
})

test.concurrent('an import resumes days later, even with another vault slug and without idempotency keys', async ({
  expect,
}) => {
  await using user = await exported()
  await using other = await cliAccount()
  // Neither the ID nor the slug of the vault is free.
  await createVault(other.client, { name: 'Kept', visibility: 'private' })
  const killed = await other.tideport(['import', user.from, '--json', '--parallel', '2'], {
    killAfterLines: 4,
  })
  expect(killed.code).toBe(null)
  // Waits for the uploads that were open at the kill, as if days had passed.
  await expect.poll(() => countOpen(other.client)).toBe(0)
  await runStatement(sharedStack(), 'delete from files.idempotency_key')
  expect(await other.tideport(['import', user.from, '--json'])).toMatchObject({ code: 0 })
  const { vaults, files } = await filesOf(other.client)
  expect(vaults.map(({ slug, fileCount }) => [slug, fileCount]).toSorted()).toEqual([
    ['kept', 0],
    ['kept-2', names.length],
  ])
  expect(await other.tideport(['import', user.from, '--json'])).toMatchObject({ code: 0 })
  expect((await filesOf(other.client)).files).toEqual(files)
})

test.concurrent('an import into the exporting account restores missing and damaged files, and keeps the others', async () => {
  await using user = await exported()
  const { client, vault, tideport, from } = user
  const list = async () => (await listFiles(client, { vaultId: vault.id }).page()).files
  const before = await list()
  const [trashed, purged] = before
  await deleteFile(client, { fileId: trashed?.id as string })
  await deleteFile(client, { fileId: purged?.id as string, permanent: true })
  const run = await tideport(['import', from, '--json'])
  expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('2 files got new IDs')])
  const after = await list()
  expect(after.map(({ path }) => path).toSorted()).toEqual(names.toSorted())
  const ids = after.map(({ id }) => id)
  expect(before.filter(({ id }) => ids.includes(id))).toHaveLength(names.length - 2)

  const isWhole = ({ status }: { status?: string }) => status !== 'error'
  // The newest file is from an earlier import.
  for (const age of [-1, 0]) {
    const lost = (await list()).filter(isWhole).at(age)
    await runStatement(
      sharedStack(),
      `update files.file set status = 'error', error_code = 'hot_copy_missing', error = 'Its bytes are gone', errored_at = now()
       where id = '${lost?.id}'`,
    )
    expect(await tideport(['import', from, '--json'])).toMatchObject({ code: 0 })
    const there = (await list()).filter((file) => file.path === lost?.path && isWhole(file))
    expect(there.map(({ id }) => id)).toEqual([expect.not.stringMatching(lost?.id as string)])
  }
})

test.concurrent('a private vault is imported with its key ID, and never into a vault with another key', async () => {
  await using user = await exported()
  await using other = await cliAccount()
  for (const [{ client }, keyId] of [
    [user, 'AGkxnfPLm5Q'],
    [other, 'bHkxnfPLm5Q'],
  ] as const) {
    const { id } = await createVault(client, { name: 'Diary', visibility: 'private' })
    await updateVault(client, { vaultId: id, keyId })
  }
  expect(await user.tideport(['export', 'with-diary'])).toMatchObject({ code: 0 })
  expect(await other.tideport(['import', join(user.folder, 'with-diary')])).toMatchObject({ code: 0 })
  const { vaults } = await filesOf(other.client)
  const diaries = vaults.filter(({ visibility }) => visibility === 'private')
  expect(new Map(diaries.map(({ slug, keyId }) => [slug, keyId]))).toEqual(
    new Map([
      ['diary', 'bHkxnfPLm5Q'],
      ['diary-2', 'AGkxnfPLm5Q'],
    ]),
  )
})

test.concurrent('a folder that was rebuilt without the service is imported', async () => {
  await using user = await exported()
  await using other = await cliAccount()
  const ids = await renameAll(user.from)
  await promisify(execFile)(process.execPath, [rebuild, 'out', 'all'], { cwd: user.folder, env: {} })
  expect(await other.tideport(['import', join(user.folder, 'all')])).toMatchObject({ code: 0 })
  const { vaults, files } = await filesOf(other.client)
  expect(vaults).toMatchObject([{ name: 'Kept', slug: 'kept', visibility: 'public', fileCount: names.length }])
  expect([...vaults.map(({ id }) => id), ...files.values()].toSorted()).toEqual(ids.toSorted())
  const of = { vaultId: vaults[0]?.id as string, delimiter: '/' as const, prefix: 'empty/' }
  expect((await listFiles(other.client, of).page()).folders).toEqual([{ path: 'empty/with a folder/' }])
})
