import { hash, randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listFiles } from '@tideport/sdk'
import { downloadPrivate, openVaultKey } from '@tideport/sdk/crypto'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { waitFor } from '@tideport/testing/wait-for'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { createVault } from '../support/account.ts'
import type { ApiClient } from '../support/api-client.ts'
import { browserTest } from '../support/browser/browser-test.ts'
import { clientOf } from '../support/console/client-of.ts'
import { openConsole, signOut } from '../support/console/open-console.ts'
import { openedVault, passphrase, sdkOf } from '../support/console/private-vault.ts'
import { sharedStack } from '../support/shared-stack.ts'

/** Lets `parts` parts through to the object storage. The other parts get no response until `letOn` is called. */
async function cutAfter(page: Page, parts: number) {
  const sent: string[] = []
  let isCut = true
  await page.route(`${sharedStack().s3.endpoint}/**`, async (route) => {
    if (route.request().method() !== 'PUT') return await route.continue()
    if (isCut && sent.length >= parts) return
    sent.push(route.request().url())
    await route.continue()
  })
  return {
    sent,
    letOn: () => {
      isCut = false
    },
  }
}

async function pathsOf(who: string, vaultId: string): Promise<string[]> {
  const paths: string[] = []
  for await (const { path, status } of listFiles(sdkOf(who), { vaultId })) {
    if (status !== 'uploading') paths.push(path)
  }
  return paths.toSorted()
}

browserTest('resumes an upload to a private vault after a reload, when the vault is unlocked', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const vault = await openedVault(page, url, who)
  const ageFile = await page.evaluate<string>(`localStorage.getItem('tideport.vault-key.${vault.id}')`)
  await using directory = await createTemporaryDirectory('picked')
  const bytes = randomBytes(25_000_000)
  await writeFile(join(directory.path, 'big.bin'), bytes)
  const { sent, letOn } = await cutAfter(page, 2)
  const pick = () => page.locator('input[type=file]').nth(0).setInputFiles(join(directory.path, 'big.bin'))
  await page.getByRole('link', { name: 'Show files' }).click()
  await page.getByRole('button', { name: 'Upload files' }).waitFor()
  await pick()
  await partsArrived(clientOf(who), vault.id, 2)
  // The progress of the file is shown, not only the total.
  await page
    .getByRole('listitem')
    .filter({ hasText: 'big.bin' })
    .getByText(/^[1-9]\d %/)
    .waitFor()

  await page.reload()
  await page.getByText('1 upload was interrupted').waitFor()
  await page.getByRole('link', { name: 'Unlock vault' }).click()
  await page.getByLabel('Passphrase or identity').fill(passphrase)
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Show files' }).waitFor()
  await page.getByRole('heading', { name: 'The vault is unlocked' }).waitFor()
  await page.getByRole('link', { name: 'Show files' }).click()
  letOn()
  await pick()
  await page.getByText('1 uploaded').waitFor()

  // The file has four parts; parts that arrived completely were not sent again.
  expect(sent.length).toBeLessThanOrEqual(5)
  const { files } = await listFiles(sdkOf(who), { vaultId: vault.id }).page()
  expect(files.map(({ path }) => path)).toEqual(['big.bin'])
  const vaultKey = await openVaultKey(ageFile, { passphrase })
  const { body } = await downloadPrivate(sdkOf(who), files[0] as { id: string }, { vaultKey })
  const read = Buffer.from(await new Response(body).arrayBuffer())
  expect(hash('sha256', read)).toBe(hash('sha256', bytes))
})

browserTest(
  'resumes a folder upload after a reload without a new selection or duplicate files',
  async ({ profile }) => {
    const { page, who, url } = await openConsole(profile)
    const { id: vaultId } = await createVault(clientOf(who), 'public')
    await page.goto(`${url}/vaults/${vaultId}`)
    await page.getByRole('button', { name: 'New folder' }).waitFor()
    await answerFolderDialog(page, 'trip', { 'a.txt': 9, 'b.txt': 7, 'big.bin': 25_000_000 })
    const { sent, letOn } = await cutAfter(page, 2)
    await page.getByRole('button', { name: 'Upload folder' }).click()
    await page.getByText('Uploading: 2 of 3 done').waitFor()
    await partsArrived(clientOf(who), vaultId, 2)

    await page.reload()
    await page.getByText('1 upload was interrupted').waitFor()
    letOn()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('1 uploaded').waitFor()
    expect(await pathsOf(who, vaultId)).toEqual(['trip/a.txt', 'trip/b.txt', 'trip/big.bin'])
    expect(sent.length).toBeLessThanOrEqual(5)
    await page.reload()
    await page.getByRole('button', { name: 'New folder' }).waitFor()
    expect(await page.getByText('interrupted').count()).toBe(0)
  },
)

browserTest('completes a folder upload after the network comes back', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const { id: vaultId } = await createVault(clientOf(who), 'public')
  await page.goto(`${url}/vaults/${vaultId}`)
  await page.getByRole('button', { name: 'New folder' }).waitFor()
  await using directory = await createTemporaryDirectory('picked')
  const names = Array.from({ length: 30 }, (_, index) => `trip/deep/${index}.bin`)
  await mkdir(join(directory.path, 'trip/deep'), { recursive: true })
  for (const name of names) await writeFile(join(directory.path, name), randomBytes(200_000))
  let asked = 0
  let cut: Promise<void> | undefined
  // Later requests wait until the network is offline.
  await page.route('**/content/**', async (route) => {
    if (++asked > 3) cut ??= browsing.setOffline(true)
    await cut
    await route.continue()
  })
  await page.locator('input[type=file]').nth(1).setInputFiles(join(directory.path, 'trip'))
  await page.getByText('Waiting for the service').waitFor()
  expect((await pathsOf(who, vaultId)).length).toBeLessThan(names.length)
  // The uploads resume automatically.
  await browsing.setOffline(false)
  await page.getByText('30 uploaded').waitFor()
  expect(await pathsOf(who, vaultId)).toEqual(names.toSorted())
})

browserTest('sign-out discards the interrupted uploads of that user only', async ({ browsing }) => {
  const cut = async () => {
    const { page, who, url } = await openConsole(browsing)
    const { id: vaultId } = await createVault(clientOf(who), 'public')
    await page.goto(`${url}/vaults/${vaultId}`)
    await page.getByRole('button', { name: 'New folder' }).waitFor()
    await page.route(`${sharedStack().s3.endpoint}/**`, (route) => route.abort())
    const buffer = randomBytes(20_000_000)
    await page.locator('input[type=file]').nth(0).setInputFiles({ name: 'big.bin', mimeType: '', buffer })
    await expect.poll(() => page.evaluate(`(${vaultsKept})()`)).toContain(vaultId)
    return { page, vaultId }
  }
  const one = await cut()
  const other = await cut()
  await signOut(one.page)
  await expect.poll(() => other.page.evaluate(`(${vaultsKept})()`)).toEqual([other.vaultId])
})

/** Vault IDs of the uploads that the browser has stored. */
const vaultsKept = `() => new Promise((resolve, reject) => {
  const opening = indexedDB.open('tideport-uploads', 2)
  opening.onerror = () => reject(opening.error)
  opening.onsuccess = () => {
    const all = opening.result.transaction('uploads').objectStore('uploads').getAll()
    all.onsuccess = () => { opening.result.close(); resolve(all.result.filter(({ owner }) => owner !== null).map(({ vaultId }) => vaultId)) }
  }
})`

/** Waits until the object storage has `count` parts of the one open upload in the vault. */
async function partsArrived(client: ApiClient, vaultId: string, count: number): Promise<void> {
  const haveArrived = async () => {
    const { files } = (await client.get<{ files: { id: string; status: string }[] }>(`/api/files?vaultId=${vaultId}`))
      .body
    const open = files.find(({ status }) => status === 'uploading')
    if (open === undefined) return false
    const { parts } = (await client.get<{ parts: object[] }>(`/api/files/${open.id}/parts`)).body
    return parts.length >= count
  }
  await waitFor(haveArrived, { what: `${count} parts to arrive` })
}

/** Replaces the browser's folder dialog, which a test cannot answer, with a folder in the origin's storage. */
async function answerFolderDialog(page: Page, name: string, sizes: Record<string, number>): Promise<void> {
  await page.evaluate(
    `(async (name, sizes) => {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle(name, { create: true })
      for (const [file, size] of Object.entries(sizes)) {
        const writable = await (await folder.getFileHandle(file, { create: true })).createWritable()
        await writable.write(new Uint8Array(size).map((_, at) => (at * 7919) >> 5))
        await writable.close()
      }
      globalThis.showDirectoryPicker = async () => folder
    })(${JSON.stringify(name)}, ${JSON.stringify(sizes)})`,
  )
}
