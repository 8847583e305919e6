import { hash } from 'node:crypto'
import { listFiles } from '@tideport/sdk'
import { createIdentity, createVaultKey, downloadPrivate, openVaultKey, sealVaultKey } from '@tideport/sdk/crypto'
import type { Route } from 'playwright-core'
import { expect } from 'vitest'
import { browserTest, openProfile } from '../support/browser/browser-test.ts'
import { clientOf } from '../support/console/client-of.ts'
import { expectAccessible } from '../support/console/expect-accessible.ts'
import { currentTime, duration, seekTo } from '../support/console/media.ts'
import { openConsole, signInAs } from '../support/console/open-console.ts'
import {
  makeKey,
  openedVault,
  passphrase,
  privateVault,
  putFile,
  savedBy,
  savedBytes,
  savedText,
  sdkOf,
} from '../support/console/private-vault.ts'
import { sound } from '../support/console/samples.ts'
import { downloadBytes } from '../support/reading.ts'
import { untilStatus } from '../support/uploads.ts'

browserTest('creates and saves a key, and only its holder can decrypt the files', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const vault = await privateVault(who)
  const sent: string[] = []
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
  await page.goto(`${url}/vaults/${vault.id}/key`)
  await page.getByText('Nobody can recover a lost key.').waitFor()
  await expectAccessible(page, 'making a key')
  await makeKey(page, url, vault.id)
  await expectAccessible(page, 'an open vault')
  const saved = await savedBy(page, 'Save recovery file')
  expect(saved.suggestedFilename()).toBe(`${vault.slug}_${vault.id}.age`)
  const vaultKey = await openVaultKey(await savedText(saved), { passphrase })

  await putFile(page, 'today.txt', 'text/plain', Buffer.from('Dear diary, high water at noon'))
  await page.getByText('Dear diary, high water at noon').waitFor()
  const { files } = await listFiles(sdkOf(who), { vaultId: vault.id }).page()
  const fileId = files[0]?.id as string
  const { body } = await downloadPrivate(sdkOf(who), fileId, { vaultKey })
  expect(await new Response(body).text()).toBe('Dear diary, high water at noon')
  // Neither the service nor the storage of this browser contains a secret that decrypts the file.
  expect((await downloadBytes(clientOf(who), fileId)).bytes.toString('latin1')).not.toContain('diary')
  const kept = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])')
  for (const secret of [passphrase, 'tideport-vault-key-1', Buffer.from(vaultKey).toString('base64url')]) {
    expect([...sent, kept].join('\n')).not.toContain(secret)
  }
})

browserTest(
  'locks a vault by button, reload, and sign-out, and unlocks it only with the passphrase',
  async ({ browsing }) => {
    const { page, who, url } = await openConsole(browsing)
    await openedVault(page, url, who)
    await putFile(page, 'today.txt', 'text/plain', Buffer.from('Dear diary'))
    await page.getByText('Dear diary').waitFor()
    await page.reload()
    await page.getByText('This file is encrypted').waitFor()
    expect(await page.getByText('Dear diary').count()).toBe(0)
    await expectAccessible(page, 'a locked file')

    await page.getByRole('link', { name: 'Unlock vault' }).click()
    const secret = page.getByLabel('Passphrase or identity')
    await secret.fill('something else entirely')
    await page.keyboard.press('Enter')
    await page.getByText('The passphrase or identity is wrong').waitFor()
    await expectAccessible(page, 'a wrong passphrase')
    await secret.fill(passphrase)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'The vault is unlocked' }).waitFor()
    await page.getByRole('button', { name: 'Lock' }).click()
    await page.getByRole('heading', { name: 'Unlock vault' }).waitFor()
  },
)

browserTest(
  'another browser unlocks a vault with its recovery file and rejects the file of another vault',
  async ({ browsing, browser }) => {
    const { page, who, url } = await openConsole(browsing)
    const vault = await openedVault(page, url, who)
    const ageFile = await savedText(await savedBy(page, 'Save recovery file'))
    await putFile(page, 'today.txt', 'text/plain', Buffer.from('Dear diary'))
    const { files } = await listFiles(sdkOf(who), { vaultId: vault.id }).page()

    await using elsewhere = await openProfile(browser as NonNullable<typeof browser>)
    const other = await elsewhere.newPage()
    await other.goto(`${url}/vaults/${vault.id}/key`)
    await signInAs(other, who)
    const strange = await sealVaultKey(createVaultKey(), { passphrase, workFactor: 10 })
    for (const [text, told] of [
      [strange, 'The passphrase or identity is wrong'],
      [ageFile, 'The vault is unlocked'],
    ] as const) {
      await other.getByLabel('Recovery file').setInputFiles({ name: 'k.age', mimeType: '', buffer: Buffer.from(text) })
      await other.getByLabel('Passphrase or identity').fill(passphrase)
      await other.keyboard.press('Enter')
      await other.getByText(told).waitFor()
    }
    await other.evaluate(`history.pushState(null, '', ${JSON.stringify(`${url}/files/${files[0]?.id}`)})`)
    await other.getByText('Dear diary').waitFor()
  },
)

browserTest('plays encrypted audio from any position by reading only that part', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const vault = await openedVault(page, url, who)
  await putFile(page, 'surf.wav', 'audio/wav', sound(200))
  const { files } = await listFiles(sdkOf(who), { vaultId: vault.id }).page()
  const { id, sizeBytes } = files[0] as { id: string; sizeBytes: number }
  await untilStatus(clientOf(who), id, 'cold')
  const ranges: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/downloads/')) ranges.push(request.headers().range ?? '')
  })
  const audio = page.locator('audio')
  await audio.waitFor()
  await expect.poll(() => audio.evaluate(duration)).toBeCloseTo(200, 0)
  await audio.evaluate(seekTo, 190)
  expect(await audio.evaluate(currentTime)).toBeCloseTo(190, 0)
  const starts = ranges.map((range) => Number(/^bytes=(\d+)-/.exec(range)?.[1]))
  expect(starts.every((start) => start % 1_048_576 === 0)).toBe(true)
  expect(Math.max(...starts)).toBeGreaterThan(sizeBytes * 0.8)
  // The media URL works for the media element only; opened as a page, it shows the console.
  const direct = await browsing.newPage()
  const answer = await direct.goto(`${url}/private-media/${id}`)
  expect(answer?.headers()['content-type'] ?? 'none').not.toMatch(/^audio/)
})

browserTest(
  'saves the decrypted file, streamed if the browser can write files and in memory if not',
  async ({ browsing }) => {
    const { page, who, url } = await openConsole(browsing)
    await openedVault(page, url, who)
    const bytes = sound(40)
    await page.evaluate(pickerThatWritesToTheOrigin)
    await putFile(page, 'surf.wav', 'application/x-sound', bytes)
    await page.getByRole('button', { name: 'Download' }).click()
    const written = `(async () => {
    const file = await (await (await navigator.storage.getDirectory()).getFileHandle('surf.wav')).getFile()
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
    return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  })()`
    const sha256 = hash('sha256', bytes, 'hex')
    await expect.poll(() => page.evaluate(written)).toBe(sha256)

    await page.evaluate('delete globalThis.showSaveFilePicker; globalThis.showSaveFilePicker = undefined')
    const saved = await savedBy(page, 'Download')
    expect(saved.suggestedFilename()).toBe('surf.wav')
    expect(hash('sha256', await savedBytes(saved), 'hex')).toBe(sha256)
  },
)

browserTest('neither shows nor saves bytes that were changed in transit', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  await openedVault(page, url, who)
  await page.evaluate(pickerThatWritesToTheOrigin)
  const change = async (route: Route) => {
    const answer = await route.fetch()
    const body = await answer.body()
    body[body.length - 20] = (body[body.length - 20] as number) ^ 1
    await route.fulfill({ response: answer, body })
  }
  for (const bytes of ['**/hot/**', '**/api/downloads/**']) await browsing.route(bytes, change)
  await putFile(page, 'today.txt', 'text/plain', Buffer.from('Dear diary'))
  await page.getByText('The preview failed.').waitFor()
  await page.getByRole('button', { name: 'Download' }).click()
  await page.getByText('The file could not be decrypted and saved.').waitFor()
  const size = `navigator.storage.getDirectory().then((dir) => dir.getFileHandle('today.txt')).then((file) => file.getFile()).then(({ size }) => size)`
  expect(await page.evaluate(size)).toBe(0)
})

browserTest('shares the key with another recipient', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const vault = await openedVault(page, url, who)
  await putFile(page, 'today.txt', 'text/plain', Buffer.from('Dear diary'))
  await page.goBack()
  await page.getByRole('button', { name: 'today.txt' }).waitFor()
  await page.goBack()
  const { identity, recipient } = await createIdentity()
  await page.getByLabel('Recipient').fill(recipient)
  const saving = page.waitForEvent('download')
  await page.keyboard.press('Enter')
  const vaultKey = await openVaultKey(await savedText(await saving), { identity })
  const { files } = await listFiles(sdkOf(who), { vaultId: vault.id }).page()
  const { body } = await downloadPrivate(sdkOf(who), files[0] as { id: string }, { vaultKey })
  expect(await new Response(body).text()).toBe('Dear diary')
})

/** Replaces the browser's save dialog, which a test cannot answer, with a file in the origin's storage. */
const pickerThatWritesToTheOrigin = `globalThis.showSaveFilePicker = async ({ suggestedName }) =>
  (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true })`
