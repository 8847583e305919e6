import { fileURLToPath } from 'node:url'
import { openVaultKey } from '@tideport/sdk/crypto'
import type { BrowserContext, Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { expect } from 'vitest'
import { browserTest } from '../support/browser/browser-test.ts'
import { expectAccessible } from '../support/console/expect-accessible.ts'
import { openConsole } from '../support/console/open-console.ts'
import { openedVault, passphrase, savedBy, savedText } from '../support/console/private-vault.ts'

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Passkeys need a domain; an IP address has none. */
async function openVault(browsing: BrowserContext, options?: { hasPrf: boolean }) {
  const { page, who, url } = await openConsole(browsing, '', 'localhost')
  const authenticator = await addAuthenticator(page, options)
  const vault = await openedVault(page, url, who)
  return { page, who, url, vault, ...authenticator }
}

browserTest(
  'a passkey unlocks a vault, and the passphrase still does after the passkey is lost',
  async ({ browsing }) => {
    const { page, passkeys, lose, recognise } = await openVault(browsing)
    // The page explains the loss of a passkey before the user adds one.
    await page.getByText('if you lose the passkey, only they unlock the vault').waitFor()
    await button(page, 'Add passkey').click()
    await page.getByText('A passkey unlocks this vault in this browser.').waitFor()
    await expectAccessible(page, 'a vault with a passkey')
    expect(await passkeys()).toMatchObject([{ isResidentCredential: true, userName: 'Tideport: Diary' }])

    await page.reload()
    await button(page, 'Unlock with passkey').click()
    await heading(page, 'The vault is unlocked').waitFor()
    await button(page, 'Lock').click()
    await expectAccessible(page, 'a vault that a passkey opens')
    await recognise(false)
    await button(page, 'Unlock with passkey').click()
    await page.getByText('No passkey was used.').waitFor()
    await lose()
    await page.getByLabel('Passphrase or identity').fill(passphrase)
    await page.keyboard.press('Enter')
    await heading(page, 'The vault is unlocked').waitFor()

    await button(page, 'Remove from this browser').click()
    await button(page, 'Add passkey').waitFor()
    await button(page, 'Lock').click()
    await heading(page, 'Unlock vault').waitFor()
    expect(await button(page, 'Unlock with passkey').count()).toBe(0)
  },
)

/** Another implementation of age, bundled for the page. */
async function bundleAge(): Promise<string> {
  const input = '\0age'
  const plugin = {
    name: 'age',
    resolveId: (id: string) => (id === input ? id : null),
    load: (id: string) =>
      id === input
        ? `import { armor, Decrypter, webauthn } from ${JSON.stringify(fileURLToPath(import.meta.resolve('age-encryption')))}
          globalThis.decryptByPasskey = async (file) => {
            const decrypter = new Decrypter()
            decrypter.addIdentity(new webauthn.WebAuthnIdentity())
            return await decrypter.decrypt(armor.decode(file), 'text')
          }`
        : null,
  }
  const bundle = await rolldown({ input, cwd: import.meta.dirname, plugins: [plugin] })
  const { output } = await bundle.generate({ format: 'iife' })
  return output[0].code
}

browserTest(
  'another age implementation and another browser with the passkey decrypt the passkey file',
  async ({ browsing }) => {
    const { page, vault } = await openVault(browsing)
    await button(page, 'Add passkey').click()
    const saved = await savedBy(page, 'Save passkey file for other browsers')
    expect(saved.suggestedFilename()).toBe(`${vault.slug}_${vault.id}.passkey.age`)
    const file = await savedText(saved)
    const key = await openVaultKey(await savedText(await savedBy(page, 'Save recovery file')), { passphrase })

    await page.evaluate(await bundleAge())
    const line = await page.evaluate<string>(`decryptByPasskey(${JSON.stringify(file)})`)
    expect(line).toBe(`tideport-vault-key-1:${Buffer.from(key).toString('base64url')}\n`)

    // A browser without local data but with the same passkeys.
    await page.evaluate('localStorage.clear()')
    await page.reload()
    await page.getByLabel('Recovery file').setInputFiles({ name: 'k.age', mimeType: '', buffer: Buffer.from(file) })
    await button(page, 'Unlock with passkey').click()
    await heading(page, 'The vault is unlocked').waitFor()
    // Now this browser has the passkey file too.
    await page.reload()
    await button(page, 'Unlock with passkey').click()
    await heading(page, 'The vault is unlocked').waitFor()
  },
)

browserTest('adds no passkey if its authenticator lacks the PRF extension', async ({ browsing }) => {
  const { page } = await openVault(browsing, { hasPrf: false })
  await button(page, 'Add passkey').click()
  await page.getByText('This passkey cannot unlock vaults').waitFor()
  await page.reload()
  await heading(page, 'Unlock vault').waitFor()
  expect(await button(page, 'Unlock with passkey').count()).toBe(0)
})

browserTest('offers no passkeys where the browser cannot have any', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  await openedVault(page, url, who)
  await heading(page, 'Share the key').waitFor()
  expect(await heading(page, 'Passkey').count()).toBe(0)
})

/** A virtual authenticator that confirms every request unless `recognise(false)` is called. */
async function addAuthenticator(page: Page, { hasPrf = true } = {}) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      hasPrf,
    },
  })
  return {
    passkeys: async () => (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    lose: () => devtools.send('WebAuthn.clearCredentials', { authenticatorId }),
    /** Whether the authenticator verifies the user from now on. */
    recognise: (isUserVerified: boolean) =>
      devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}
