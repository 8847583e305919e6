import { readFile } from 'node:fs/promises'
import { createClient, updateVault } from '@tideport/sdk'
import { createVaultKey, sealVaultKey, vaultKeyId } from '@tideport/sdk/crypto'
import type { Download, Page } from 'playwright-core'
import { sharedStack } from '../shared-stack.ts'
import { clientOf } from './client-of.ts'

export const passphrase = 'correct horse battery'

export const sdkOf = (who: string) =>
  createClient({ baseUrl: sharedStack().gatewayUrls[0] as string, development: { providerId: who } })

export async function privateVault(who: string): Promise<{ id: string; slug: string }> {
  const asked = { name: 'Diary', visibility: 'private' }
  return (await clientOf(who).post<{ id: string; slug: string }>('/api/vaults', asked)).body
}

export async function makeKey(page: Page, url: string, vaultId: string): Promise<void> {
  await page.goto(`${url}/vaults/${vaultId}/key`)
  await page.getByLabel('Passphrase', { exact: true }).fill(passphrase)
  await page.getByLabel('Repeat passphrase').fill(passphrase)
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('heading', { name: 'The vault is unlocked' }).waitFor()
}

/** A private vault, unlocked with a recovery file that takes 1/256 of the usual key derivation. Leaves the page at the key. */
export async function openedVault(page: Page, url: string, who: string): Promise<{ id: string; slug: string }> {
  const vault = await privateVault(who)
  const key = createVaultKey()
  await updateVault(sdkOf(who), { vaultId: vault.id, keyId: await vaultKeyId(key) })
  const ageFile = Buffer.from(await sealVaultKey(key, { passphrase, workFactor: 10 }))
  await page.goto(`${url}/vaults/${vault.id}/key`)
  await page.getByLabel('Recovery file').setInputFiles({ name: 'diary.age', mimeType: '', buffer: ageFile })
  await page.getByLabel('Passphrase or identity').fill(passphrase)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'The vault is unlocked' }).waitFor()
  return vault
}

/** Goes from the key page to the files, uploads a file, and opens it, without a reload, which would lock the vault. */
export async function putFile(page: Page, name: string, mimeType: string, buffer: Buffer): Promise<void> {
  await page.getByRole('link', { name: 'Show files' }).click()
  await page.getByRole('button', { name: 'Upload files' }).waitFor()
  await page.locator('input[type=file]').first().setInputFiles({ name, mimeType, buffer })
  await page.getByRole('button', { name, exact: true }).click()
  await page.getByRole('heading', { name, level: 1 }).waitFor()
}

/** The download that this button starts. */
export async function savedBy(page: Page, name: string): Promise<Download> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name, exact: true }).click(),
  ])
  return download
}

export const savedBytes = async (download: Download): Promise<Buffer> => await readFile(await download.path())
export const savedText = async (download: Download): Promise<string> => (await savedBytes(download)).toString()
