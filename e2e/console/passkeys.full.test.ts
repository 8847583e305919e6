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

/** Passkeys belong to a domain, and an address is none. */
async function openVault(browsing: BrowserContext, options?: { hasPrf: boolean }) {
  const { page, who, url } = await openConsole(browsing, '', 'localhost')
  const authenticator = await addAuthenticator(page, options)
  const vault = await openedVault(page, url, who)
  return { page, who, url, vault, ...authenticator }
}

browserTest('a passkey opens a vault, and the passphrase still does when it is lost', async ({ browsing }) => {
  const { page, passkeys, lose, recognise } = await openVault(browsing)
  // What its loss means is said before there is one.
  await page.getByText('if the passkey is lost, the recovery file and the passphrase still open the vault').waitFor()
  await button(page, 'Add a passkey').click()
  await page.getByText('A passkey opens this vault in this browser.').waitFor()
  await expectAccessible(page, 'a vault with a passkey')
  expect(await passkeys()).toMatchObject([{ isResidentCredential: true, userName: 'Tideport: Diary' }])

  await page.reload()
  await button(page, 'Open with a passkey').click()
  await heading(page, 'The vault is open').waitFor()
  await button(page, 'Lock').click()
  await expectAccessible(page, 'a vault that a passkey opens')
  await recognise(false)
  await button(page, 'Open with a passkey').click()
  await page.getByText('No passkey was used.').waitFor()
  await lose()
  await page.getByLabel('Passphrase or identity').fill(passphrase)
  await page.keyboard.press('Enter')
  await heading(page, 'The vault is open').waitFor()

  await button(page, 'Forget it here').click()
  await button(page, 'Add a passkey').waitFor()
  await button(page, 'Lock').click()
  await heading(page, 'Open the vault').waitFor()
  expect(await button(page, 'Open with a passkey').count()).toBe(0)
})

/** The other implementation of age, as a page has it. */
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
  'the file for a passkey is opened by another implementation of age, and by another browser that has the passkey',
  async ({ browsing }) => {
    const { page, vault } = await openVault(browsing)
    await button(page, 'Add a passkey').click()
    const saved = await savedBy(page, 'Save its file for other browsers')
    expect(saved.suggestedFilename()).toBe(`${vault.slug}_${vault.id}.passkey.age`)
    const file = await savedText(saved)
    const key = await openVaultKey(await savedText(await savedBy(page, 'Save the recovery file')), { passphrase })

    await page.evaluate(await bundleAge())
    const line = await page.evaluate<string>(`decryptByPasskey(${JSON.stringify(file)})`)
    expect(line).toBe(`tideport-vault-key-1:${Buffer.from(key).toString('base64url')}\n`)

    // A browser that keeps nothing, whose passkeys are the same.
    await page.evaluate('localStorage.clear()')
    await page.reload()
    await page.getByLabel('Recovery file').setInputFiles({ name: 'k.age', mimeType: '', buffer: Buffer.from(file) })
    await button(page, 'Open with a passkey').click()
    await heading(page, 'The vault is open').waitFor()
    // From now on it is kept here, too.
    await page.reload()
    await button(page, 'Open with a passkey').click()
    await heading(page, 'The vault is open').waitFor()
  },
)

browserTest('what keeps the passkey may lack the extension, and then there is none', async ({ browsing }) => {
  const { page } = await openVault(browsing, { hasPrf: false })
  await button(page, 'Add a passkey').click()
  await page.getByText('This passkey cannot open keys').waitFor()
  await page.reload()
  await heading(page, 'Open the vault').waitFor()
  expect(await button(page, 'Open with a passkey').count()).toBe(0)
})

browserTest('passkeys are not offered where there can be none', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  await openedVault(page, url, who)
  await heading(page, 'Share the key').waitFor()
  expect(await heading(page, 'Passkey').count()).toBe(0)
})

/** An authenticator of the browser itself in place of a person's: whoever sits there says yes to everything, unless told otherwise. */
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
    /** Whether the person is recognised, from now on. */
    recognise: (isUserVerified: boolean) =>
      devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}
