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

browserTest(
  'a key is made and saved, and what it encrypts is read by whoever has it and nobody else',
  async ({ browsing }) => {
    const { page, who, url } = await openConsole(browsing)
    const vault = await privateVault(who)
    const sent: string[] = []
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
    await page.goto(`${url}/vaults/${vault.id}/key`)
    await page.getByText('Nobody can help you if you lose it.').waitFor()
    await expectAccessible(page, 'making a key')
    await makeKey(page, url, vault.id)
    await expectAccessible(page, 'an open vault')
    const saved = await savedBy(page, 'Save the recovery file')
    expect(saved.suggestedFilename()).toBe(`${vault.slug}_${vault.id}.age`)
    const vaultKey = await openVaultKey(await savedText(saved), { passphrase })

    await putFile(page, 'today.txt', 'text/plain', Buffer.from('Dear diary, high water at noon'))
    await page.getByText('Dear diary, high water at noon').waitFor()
    const { files } = await listFiles(sdkOf(who), { vaultId: vault.id }).page()
    const fileId = files[0]?.id as string
    const { body } = await downloadPrivate(sdkOf(who), fileId, { vaultKey })
    expect(await new Response(body).text()).toBe('Dear diary, high water at noon')
    // Neither the service nor what this browser keeps has anything that opens it.
    expect((await downloadBytes(clientOf(who), fileId)).bytes.toString('latin1')).not.toContain('diary')
    const kept = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])')
    for (const secret of [passphrase, 'tideport-vault-key-1', Buffer.from(vaultKey).toString('base64url')]) {
      expect([...sent, kept].join('\n')).not.toContain(secret)
    }
  },
)

browserTest(
  'a vault is locked by its button, a reload and signing out, and opened by the passphrase alone',
  async ({ browsing }) => {
    const { page, who, url } = await openConsole(browsing)
    await openedVault(page, url, who)
    await putFile(page, 'today.txt', 'text/plain', Buffer.from('Dear diary'))
    await page.getByText('Dear diary').waitFor()
    await page.reload()
    await page.getByText('This file is encrypted.').waitFor()
    expect(await page.getByText('Dear diary').count()).toBe(0)
    await expectAccessible(page, 'a locked file')

    await page.getByRole('link', { name: 'Open the vault' }).click()
    const secret = page.getByLabel('Passphrase or identity')
    await secret.fill('something else entirely')
    await page.keyboard.press('Enter')
    await page.getByText('This does not open it').waitFor()
    await expectAccessible(page, 'a wrong passphrase')
    await secret.fill(passphrase)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'The vault is open' }).waitFor()
    await page.getByRole('button', { name: 'Lock' }).click()
    await page.getByRole('heading', { name: 'Open the vault' }).waitFor()
  },
)

browserTest(
  'another browser opens it with the recovery file, and takes that of no other vault',
  async ({ browsing, browser }) => {
    const { page, who, url } = await openConsole(browsing)
    const vault = await openedVault(page, url, who)
    const ageFile = await savedText(await savedBy(page, 'Save the recovery file'))
    await putFile(page, 'today.txt', 'text/plain', Buffer.from('Dear diary'))
    const { files } = await listFiles(sdkOf(who), { vaultId: vault.id }).page()

    await using elsewhere = await openProfile(browser as NonNullable<typeof browser>)
    const other = await elsewhere.newPage()
    await other.goto(`${url}/vaults/${vault.id}/key`)
    await signInAs(other, who)
    const strange = await sealVaultKey(createVaultKey(), { passphrase, workFactor: 10 })
    for (const [text, told] of [
      [strange, 'This does not open it'],
      [ageFile, 'The vault is open'],
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

browserTest('encrypted sound is played from any place, by reading no more than there', async ({ browsing }) => {
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
  // What is played is of an element alone; as a page it is the console's own.
  const direct = await browsing.newPage()
  const answer = await direct.goto(`${url}/private-media/${id}`)
  expect(answer?.headers()['content-type'] ?? 'none').not.toMatch(/^audio/)
})

browserTest(
  'it is saved as it was, piece by piece where the browser writes files and whole where not',
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

browserTest('bytes that were changed on the way are neither shown nor saved', async ({ browsing }) => {
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
  await page.getByText('It cannot be shown here.').waitFor()
  await page.getByRole('button', { name: 'Download' }).click()
  await page.getByText('It could not be decrypted and saved.').waitFor()
  const size = `navigator.storage.getDirectory().then((dir) => dir.getFileHandle('today.txt')).then((file) => file.getFile()).then(({ size }) => size)`
  expect(await page.evaluate(size)).toBe(0)
})

browserTest('the key is shared by one more recipient', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const vault = await openedVault(page, url, who)
  await putFile(page, 'today.txt', 'text/plain', Buffer.from('Dear diary'))
  await page.goBack()
  await page.getByRole('button', { name: 'today.txt' }).waitFor()
  await page.goBack()
  const { identity, recipient } = await createIdentity()
  await page.getByLabel('Their recipient').fill(recipient)
  const saving = page.waitForEvent('download')
  await page.keyboard.press('Enter')
  const vaultKey = await openVaultKey(await savedText(await saving), { identity })
  const { files } = await listFiles(sdkOf(who), { vaultId: vault.id }).page()
  const { body } = await downloadPrivate(sdkOf(who), files[0] as { id: string }, { vaultKey })
  expect(await new Response(body).text()).toBe('Dear diary')
})

/** The browser's own dialog takes a person; a file that it could have answered takes its place. */
const pickerThatWritesToTheOrigin = `globalThis.showSaveFilePicker = async ({ suggestedName }) =>
  (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true })`
