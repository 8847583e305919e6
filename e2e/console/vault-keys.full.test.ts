import type { Browser, Dialog, Page } from 'playwright-core'
import { expect } from 'vitest'
import { browserTest, openProfile } from '../support/browser/browser-test.ts'
import { goTo } from '../support/console/go-to.ts'
import { expectAccessibleInAllLooks } from '../support/console/looks.ts'
import { openConsole, signInAs, signOut } from '../support/console/open-console.ts'
import { makeKey, openedVault, passphrase, privateVault, putFile, savedBy } from '../support/console/private-vault.ts'

const locked = (page: Page) => page.getByRole('heading', { name: 'Unlock vault' })

async function open(page: Page): Promise<void> {
  await page.getByLabel('Passphrase or identity').fill(passphrase)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'The vault is unlocked' }).waitFor()
}

async function fillInKey(page: Page): Promise<void> {
  await page.getByLabel('Passphrase', { exact: true }).fill(passphrase)
  await page.getByLabel('Repeat passphrase').fill(passphrase)
  await page.getByRole('checkbox').check()
}

browserTest('locks a vault on sign-out, after 15 minutes of inactivity, and after sleep', async ({ browsing }) => {
  await browsing.clock.install()
  const { page, who, url } = await openConsole(browsing)
  await openedVault(page, url, who)
  await page.clock.fastForward('14:00')
  await page.keyboard.press('Shift')
  await page.clock.fastForward('14:00')
  expect(await locked(page).count()).toBe(0)
  await page.clock.fastForward('01:01')
  await locked(page).waitFor()

  await open(page)
  // Timers do not run during sleep, so the next key press triggers the lock.
  await page.clock.setSystemTime((await page.evaluate<number>('Date.now()')) + 16 * 60_000)
  await page.keyboard.press('Shift')
  await locked(page).waitFor()

  await open(page)
  await signOut(page)
  await signInAs(page, who)
  await locked(page).waitFor()
})

browserTest('keeps a key when another tab creates one or another key file is tried', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const vault = await privateVault(who)
  const other = await browsing.newPage()
  await other.goto(`${url}/vaults/${vault.id}/key`)
  await signInAs(other, who)
  await fillInKey(other)
  await makeKey(page, url, vault.id)
  await page.getByRole('button', { name: 'I have the file' }).click()
  await putFile(page, 'today.txt', 'text/plain', Buffer.from('Dear diary'))
  await other.getByRole('button', { name: 'Create key' }).click()
  await other.getByText('Another tab or browser has created a key for this vault.').waitFor()

  await other.reload()
  await other.getByRole('button', { name: 'Use another file' }).click()
  await other.getByLabel('Recovery file').waitFor()
  await other.reload()
  await open(other)
})

browserTest('warns before leaving a new key whose recovery file is not saved', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const vault = await privateVault(who)
  await makeKey(page, url, vault.id)
  const warning = page.getByRole('dialog', { name: 'Save the recovery file' })
  expect(await warning.count()).toBe(0)
  await page.getByRole('link', { name: 'Show files' }).click()
  await warning.waitFor()
  await expectAccessibleInAllLooks(page, 'the warning')
  await page.keyboard.press('Escape')
  await warning.waitFor({ state: 'detached' })
  // Every page shows the warning again.
  await page.getByRole('button', { name: 'Upload files' }).waitFor()
  await goTo(page, 'Jobs')
  await warning.waitFor()
  await warning.getByRole('button', { name: 'Later' }).click()
  await signOut(page)
  await warning.waitFor()
  await page.keyboard.press('Escape')
  await warning.waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor()
  const asked: string[] = []
  const answer = (dialog: Dialog) => {
    asked.push(dialog.type())
    void dialog.accept()
  }
  page.on('dialog', answer)
  await page.goto(`${url}/vaults/${vault.id}/key`)
  expect(asked).toEqual(['beforeunload'])

  // The warning survives a reload.
  await page.getByRole('link', { name: 'Show files' }).click()
  await warning.waitFor()
  await page.goBack()
  await page.keyboard.press('Escape')
  await open(page)
  await page.getByRole('status').getByText('Save the recovery file now').waitFor()
  await savedBy(page, 'Save recovery file')
  await page.getByRole('status').getByText('The recovery file is in your downloads').waitFor()
  await page.getByRole('link', { name: 'Show files' }).click()
  await page.getByRole('button', { name: 'Upload files' }).click({ trial: true })
  expect(await warning.count()).toBe(0)
  await page.goto(`${url}/vaults/${vault.id}/key`)
  expect(asked).toEqual(['beforeunload'])
  await open(page)
  await page.getByRole('status').getByText('Only in this tab').waitFor()
})

browserTest('tries a corrected secret after the previous attempt finishes', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const vault = await openedVault(page, url, who)
  await page.getByRole('button', { name: 'Lock', exact: true }).click()
  const secret = page.getByLabel('Passphrase or identity')
  const refusal = page.getByText('The passphrase or identity is wrong')
  await secret.fill('a wrong one')
  await page.keyboard.press('Enter')
  await refusal.waitFor()
  await secret.press('End')
  await page.keyboard.type('!')
  await refusal.waitFor({ state: 'detached' })

  const held = Promise.withResolvers<void>()
  await page.route(`**/api/vaults/${vault.id}`, async (route) => {
    await held.promise
    await route.continue()
  })
  const asked = page.waitForRequest(`**/api/vaults/${vault.id}`)
  await page.keyboard.press('Enter')
  await asked
  await secret.fill(passphrase.slice(0, -1))
  held.resolve()
  await page.getByRole('button', { name: 'Unlock vault' }).and(page.locator('[aria-busy=false]')).waitFor()
  expect([await secret.inputValue(), await refusal.count()]).toEqual([passphrase.slice(0, -1), 0])
  const again = Promise.withResolvers<void>()
  await page.unroute(`**/api/vaults/${vault.id}`)
  await page.route(`**/api/vaults/${vault.id}`, async (route) => {
    await again.promise
    await route.continue()
  })
  const askedAgain = page.waitForRequest(`**/api/vaults/${vault.id}`)
  await page.keyboard.press('Enter')
  await askedAgain
  await secret.fill(passphrase)
  await page.keyboard.press('Enter')
  again.resolve()
  await page.getByRole('heading', { name: 'The vault is unlocked' }).waitFor()
})

browserTest('creates a key on the next attempt after its worker failed to load', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const vault = await privateVault(who)
  await page.goto(`${url}/vaults/${vault.id}/key`)
  await fillInKey(page)
  const program = /\/assets\/worker[^/]*$/
  await browsing.route(program, (route) => route.abort())
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByText('The key could not be created.').waitFor()
  await browsing.unroute(program)
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('heading', { name: 'The vault is unlocked' }).waitFor()
})

browserTest(
  'when two browsers create a key for one vault concurrently, one is refused and keeps no key',
  async ({ browsing, browser }) => {
    const { page, who, url } = await openConsole(browsing)
    const vault = await privateVault(who)
    await using elsewhere = await openProfile(browser as Browser)
    const other = await elsewhere.newPage()
    const both = [page, other]
    for (const one of both) await one.goto(`${url}/vaults/${vault.id}/key`)
    await signInAs(other, who)
    for (const one of both) await fillInKey(one)
    // Both browsers have checked for a key and found none before either registers its own.
    const looked = Promise.withResolvers<void>()
    let telling = 0
    for (const one of both) {
      await one.route(`**/api/vaults/${vault.id}`, async (route) => {
        if (route.request().method() === 'PATCH') {
          if (++telling === both.length) looked.resolve()
          await looked.promise
        }
        await route.continue()
      })
    }
    await Promise.all(both.map((one) => one.getByRole('button', { name: 'Create key' }).click()))
    const outcomes = await Promise.all(
      both.map(async (one) => {
        await one.getByText(/The vault is unlocked|Another tab or browser has created a key/).waitFor()
        return await one.evaluate<boolean>(`localStorage.getItem('tideport.vault-key.${vault.id}') !== null`)
      }),
    )
    expect(outcomes.toSorted()).toEqual([false, true])
    const loser = both[outcomes.indexOf(false)] as Page
    await loser.getByText('Another tab or browser has created a key for this vault').waitFor()
    await loser.reload()
    await loser.getByText('Their key is in the recovery file').waitFor()
  },
)

browserTest(
  'when two tabs create a key for one vault concurrently, the refused tab keeps the stored file',
  async ({ browsing }) => {
    const { page, who, url } = await openConsole(browsing)
    const vault = await privateVault(who)
    const other = await browsing.newPage()
    for (const one of [page, other]) await one.goto(`${url}/vaults/${vault.id}/key`)
    await signInAs(other, who)
    for (const one of [page, other]) await fillInKey(one)
    const held = async (one: Page, method: string, path: string) => {
      const [came, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      await one.route(path, async (route) => {
        if (route.request().method() === method) {
          came.resolve()
          await goOn.promise
        }
        await route.continue()
      })
      return { came: came.promise, goOn: goOn.resolve }
    }
    const looking = await held(other, 'GET', '**/api/files?*')
    const telling = await held(page, 'PATCH', `**/api/vaults/${vault.id}`)
    // The tab has already checked this browser for a key file.
    await other.getByRole('button', { name: 'Create key' }).click()
    await looking.came
    await page.getByRole('button', { name: 'Create key' }).click()
    const waits = expect.poll(
      () => page.evaluate<number>('navigator.locks.query().then(({ pending }) => pending.length)'),
      { timeout: 60_000 },
    )
    await Promise.race([telling.came, waits.toBeGreaterThan(0)])
    looking.goOn()
    await other.getByText('The vault is unlocked').waitFor()
    telling.goOn()
    await page.getByText('Another tab or browser has created a key for this vault').waitFor()
    await other.reload()
    await open(other)
  },
)
