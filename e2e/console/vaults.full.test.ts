import { expect } from 'vitest'
import { createKey } from '../support/account.ts'
import { browserTest } from '../support/browser/browser-test.ts'
import { expectAccessible } from '../support/console/expect-accessible.ts'
import { goTo } from '../support/console/go-to.ts'
import { expectAccessibleInAllLooks, narrow } from '../support/console/looks.ts'
import { consoleUrl, openConsole, openPage } from '../support/console/open-console.ts'
import { freshAccount } from '../support/shared-stack.ts'

browserTest('creates, renames, trashes, and restores a vault by keyboard only', async ({ browsing }) => {
  const { page } = await openConsole(browsing)
  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve())
  const vault = (name: string) => page.getByRole('heading', { level: 2, name, exact: true })
  await vault('Default').waitFor()
  await press('n')
  await page.keyboard.type('Grüße <b>&amp;</b>')
  await press('Tab', 'Tab', 'ArrowDown', 'Enter')
  // A new private vault opens the page of its key.
  await page.getByRole('heading', { level: 1, name: /^Key of .*Grüße <b>&amp;<\/b>/ }).waitFor()
  await goTo(page, 'Vaults')
  await vault('Grüße <b>&amp;</b>').waitFor()
  expect(await page.getByText('Private', { exact: true }).count()).toBe(1)

  await page.getByRole('button', { name: 'Edit: Grüße' }).focus()
  await press('Enter', 'Control+a')
  await page.keyboard.type('Renamed')
  await press('Enter')
  await vault('Renamed').waitFor()
  // The focus returns to the button that opened the dialog.
  await expect.poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Edit: Renamed')

  await press('Tab', 'Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Move to trash' }).focus()
  await press('Enter')
  await vault('Renamed').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).focus()
  await press('Enter')
  await vault('Renamed').waitFor()
})

browserTest('shows a refusal of the service in the form and announces it', async ({ browsing }) => {
  const { key } = await createKey(freshAccount(), { scopes: ['vaults:read'] })
  const page = await openPage(browsing, await consoleUrl())
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Sign in with key' }).click()
  await page.getByRole('button', { name: 'Create vault' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Photos')
  await dialog.getByRole('button', { name: 'Create vault' }).click()
  await dialog.getByRole('alert').getByText(/scope/).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
})

browserTest(
  'lists the commands in the palette and the key sheet, and opens no palette above a dialog',
  async ({ browsing }) => {
    const { page } = await openConsole(browsing)
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Create vault').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('create vau')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Create vault' }).waitFor()
    for (const keys of ['Control+k', 'Meta+k', 'Control+Shift+K']) await page.keyboard.press(keys)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Create vault' }).waitFor({ state: 'detached' })
    expect(await page.getByRole('dialog').count()).toBe(0)
  },
)

browserTest('the pages on the way are accessible in all looks', async ({ browsing }) => {
  const { page } = await openConsole(browsing)
  await expectAccessibleInAllLooks(page, 'vaults')
  for (const keys of ['n', '?', 'Control+k']) {
    await page.keyboard.press(keys)
    await page.getByRole('dialog').waitFor()
    await expectAccessibleInAllLooks(page, keys)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  // Only narrow windows have the menu button.
  await page.setViewportSize(narrow)
  await page.getByRole('button', { name: 'Menu' }).click()
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await expectAccessible(page, `menu, ${colorScheme}`)
  }
})
