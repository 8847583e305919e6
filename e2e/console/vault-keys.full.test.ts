import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { browserTest, openProfile } from '../support/browser/browser-test.ts'
import { openConsole, signInAs, signOut } from '../support/console/open-console.ts'
import { makeKey, openedVault, passphrase, privateVault, putFile } from '../support/console/private-vault.ts'

const locked = (page: Page) => page.getByRole('heading', { name: 'Open the vault' })

async function open(page: Page): Promise<void> {
  await page.getByLabel('Passphrase or identity').fill(passphrase)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'The vault is open' }).waitFor()
}

async function fillInKey(page: Page): Promise<void> {
  await page.getByLabel('Passphrase', { exact: true }).fill(passphrase)
  await page.getByLabel('Passphrase, once more').fill(passphrase)
  await page.getByRole('checkbox').check()
}

browserTest(
  'signing out, a quarter of an hour without use and a sleeping computer lock a vault',
  async ({ browsing }) => {
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
    // Timers stand still meanwhile, so the first key that is pressed afterwards tells.
    await page.clock.setSystemTime((await page.evaluate<number>('Date.now()')) + 16 * 60_000)
    await page.keyboard.press('Shift')
    await locked(page).waitFor()

    await open(page)
    await signOut(page)
    await signInAs(page, who)
    await locked(page).waitFor()
  },
)

browserTest('a key is lost neither to another tab nor to a look at another file', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const vault = await privateVault(who)
  const other = await browsing.newPage()
  await other.goto(`${url}/vaults/${vault.id}/key`)
  await signInAs(other, who)
  await fillInKey(other)
  await makeKey(page, url, vault.id)
  await putFile(page, 'today.txt', 'text/plain', Buffer.from('Dear diary'))
  await other.getByRole('button', { name: 'Make the key' }).click()
  await other.getByText('A key for this vault was made meanwhile.').waitFor()

  await other.reload()
  await other.getByRole('button', { name: 'Use another file' }).click()
  await other.getByLabel('Recovery file').waitFor()
  await other.reload()
  await open(other)
})

browserTest('a key is made on the next try when its program could not be loaded', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const vault = await privateVault(who)
  await page.goto(`${url}/vaults/${vault.id}/key`)
  await fillInKey(page)
  const program = /\/assets\/worker[^/]*$/
  await browsing.route(program, (route) => route.abort())
  await page.getByRole('button', { name: 'Make the key' }).click()
  await page.getByText('The key could not be made.').waitFor()
  await browsing.unroute(program)
  await page.getByRole('button', { name: 'Make the key' }).click()
  await page.getByRole('heading', { name: 'The vault is open' }).waitFor()
})

browserTest(
  'of two browsers that make a key for one vault at once, one is told and keeps none',
  async ({ browsing, browser }) => {
    const { page, who, url } = await openConsole(browsing)
    const vault = await privateVault(who)
    await using elsewhere = await openProfile(browser as Browser)
    const other = await elsewhere.newPage()
    const both = [page, other]
    for (const one of both) await one.goto(`${url}/vaults/${vault.id}/key`)
    await signInAs(other, who)
    for (const one of both) await fillInKey(one)
    // Both have looked, and seen no key, before either tells of its own.
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
    await Promise.all(both.map((one) => one.getByRole('button', { name: 'Make the key' }).click()))
    const outcomes = await Promise.all(
      both.map(async (one) => {
        await one.getByText(/The vault is open|A key for this vault was made meanwhile/).waitFor()
        return await one.evaluate<boolean>(`localStorage.getItem('tideport.vault-key.${vault.id}') !== null`)
      }),
    )
    expect(outcomes.toSorted()).toEqual([false, true])
    const loser = both[outcomes.indexOf(false)] as Page
    await loser.getByText('A key for this vault was made meanwhile').waitFor()
    await loser.reload()
    await loser.getByText('Their key is in the recovery file').waitFor()
  },
)

browserTest(
  'of two tabs that make a key for one vault at once, the one that is refused leaves the file',
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
    // It has looked for a file of this browser.
    await other.getByRole('button', { name: 'Make the key' }).click()
    await looking.came
    await page.getByRole('button', { name: 'Make the key' }).click()
    const waits = expect.poll(
      () => page.evaluate<number>('navigator.locks.query().then(({ pending }) => pending.length)'),
      { timeout: 60_000 },
    )
    await Promise.race([telling.came, waits.toBeGreaterThan(0)])
    looking.goOn()
    await other.getByText('The vault is open').waitFor()
    telling.goOn()
    await page.getByText('A key for this vault was made meanwhile').waitFor()
    await other.reload()
    await open(other)
  },
)
