import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createVault, download, type FileRecord, listFiles, listVaults, upload } from '@tideport/sdk'
import { createVaultKey, DecryptionError, downloadPrivate } from '@tideport/sdk/crypto'
import { expect, test } from 'vitest'
import { cliAccount } from './support/cli-account.ts'

const rebuild = fileURLToPath(new URL('../docs/rebuild.mjs', import.meta.url))

test.concurrent('an account is exported to a folder, from which it is rebuilt without the service', async () => {
  await using user = await cliAccount()
  const { tideport, folder, client } = user
  const vault = await createVault(client, { name: 'Häfen', visibility: 'public' })
  const files = { 'a/b.txt': 'first', 'c.bin': 'second '.repeat(300_000) }
  for (const [path, bytes] of Object.entries(files)) {
    await upload(client, new TextEncoder().encode(bytes), { vaultId: vault.id, name: '', fields: { path } })
  }
  const killed = await tideport(['export', 'out', '--json', '--keep'], {
    environment: { TIDEPORT_API_KEY: 'tdp_wrong' },
  })
  expect(killed.code).toBe(4)
  const exported = await tideport(['export', 'out', '--json'])
  expect([exported.code, exported.stderr]).toEqual([0, expect.any(String)])
  expect(exported.values()).toMatchObject([{ folder: 'out', files: 2, lost: 0 }])
  const names = await readdir(join(folder, 'out'))
  expect(names).toEqual(expect.arrayContaining(['manifest-000001.ndjson', 'part-000002.car']))
  const exports = async () => (await listVaults(client, {}).page()).vaults.filter(({ isExport }) => isExport)
  expect(await exports()).toEqual([])
  expect(await tideport(['export', 'out'])).toMatchObject({ code: 1, stderr: expect.stringContaining('already') })

  await promisify(execFile)(process.execPath, [rebuild, 'out', 'all'], { cwd: folder, env: {} })
  for (const [path, bytes] of Object.entries(files)) {
    expect(await readFile(join(folder, 'all', vault.slug, path), 'utf8')).toBe(bytes)
  }

  expect(await tideport(['export', 'kept', '--keep'])).toMatchObject({ code: 0 })
  const [kept] = await exports()
  const [file] = (await listFiles(client, { vaultId: kept?.id }).page()).files
  // The service wrote it: nobody is told that it was decrypted.
  const vaultKey = createVaultKey()
  await expect(downloadPrivate(client, file as FileRecord, { vaultKey })).rejects.toThrow(DecryptionError)
  const { body } = await download(client, file as FileRecord)
  expect(await new Response(body).text()).toBe(await readFile(join(folder, 'kept', file?.name as string), 'utf8'))
})
