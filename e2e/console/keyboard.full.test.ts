import type { FileChooser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { browserTest } from '../support/browser/browser-test.ts'
import { openConsole } from '../support/console/open-console.ts'
import { passphrase, privateVault } from '../support/console/private-vault.ts'
import { sound } from '../support/console/samples.ts'

browserTest('creates a vault key, uploads, previews, locks, and unlocks by keyboard only', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  await privateVault(who)
  await page.goto(url)
  await page.getByRole('link', { name: 'Diary', exact: true }).waitFor()
  await tabTo(page, /^Key: Diary$/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Create key' }).waitFor()
  // The loss warning is read before the fields, and the fields come in page order.
  expect(await tabTo(page, /^Passphrase$/)).toEqual(['Show files'])
  await page.keyboard.type(passphrase)
  expect(await tabTo(page, /^Repeat passphrase/)).toEqual([])
  await page.keyboard.type(passphrase)
  await tabTo(page, /I will keep the passphrase/)
  await page.keyboard.press('Space')
  expect(await tabTo(page, /^Create key$/)).toEqual(['Suggest passphrase'])
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'The vault is unlocked' }).waitFor()
  // The focused form has been removed, so the focus moves to the main element, not to the body.
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('MAIN')
  await page.getByRole('status').getByText('The key has been created. Save the recovery file now').waitFor()
  const saving = page.waitForEvent('download')
  await tabTo(page, /^Save recovery file$/)
  await page.keyboard.press('Enter')
  await saving

  await tabTo(page, /^Show files$/, 'Shift+Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Upload files' }).waitFor()
  // A test cannot answer the file picker that returns handles.
  await page.evaluate('globalThis.showOpenFilePicker = undefined')
  const chooser = await pressForFiles(page)
  await chooser.setFiles([
    { name: 'surf.wav', mimeType: 'audio/wav', buffer: sound(2) },
    { name: 'today.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear diary') },
  ])
  await page.getByRole('status').getByText('2 uploaded').waitFor()
  await page.getByRole('row').filter({ hasText: 'today.txt' }).waitFor()
  await tabTo(page, /surf\.wav/)
  await page.keyboard.press('ArrowDown')
  // The focus moves to the row after the list has rendered it.
  await expect.poll(() => focused(page)).toMatch(/today\.txt/)
  await page.keyboard.press('Enter')
  await page.getByText('Dear diary').waitFor()
  await page.goBack()

  // The focus is back on the row that was opened.
  await expect.poll(() => focused(page)).toMatch(/today\.txt/)
  await page.keyboard.press('Home')
  await expect.poll(() => focused(page)).toMatch(/surf\.wav/)
  await page.keyboard.press('Enter')
  const audio = page.locator('audio')
  await audio.waitFor()
  await expect
    .poll(() => audio.evaluate((element) => (element as unknown as { readyState: number }).readyState))
    .toBeGreaterThan(0)
  for (let stop = 0; (await page.evaluate('document.activeElement.tagName')) !== 'AUDIO'; stop++) {
    expect(stop).toBeLessThan(60)
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Space')
  await expect
    .poll(() => audio.evaluate((element) => (element as unknown as { currentTime: number }).currentTime))
    .toBeGreaterThan(0)

  await page.goBack()
  await page.goBack()
  await page.getByRole('heading', { name: 'The vault is unlocked' }).waitFor()
  await tabTo(page, /^Lock$/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Unlock vault' }).waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('MAIN')
  await tabTo(page, /^Passphrase or identity/)
  await page.keyboard.type('something else')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('The passphrase or identity is wrong').waitFor()
  await page.keyboard.press('Control+a')
  await page.keyboard.type(passphrase)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'The vault is unlocked' }).waitFor()
})

/** More than any page has focusable elements. */
const stopsMax = 60

/** The accessible name of the focused element. Fails if the focus is not visible. */
async function focused(page: Page): Promise<string> {
  const { name, isSeen } = await page.evaluate<{ name: string; isSeen: boolean }>(`(() => {
    const element = document.activeElement
    const labels = [...(element.labels ?? [])].map(({ textContent }) => textContent)
    const text = labels.length > 0 ? labels.join(' ') : element.textContent
    // The text of the body would be the text of the complete page.
    const name = element === document.body ? '' : element.getAttribute('aria-label') ?? text
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
    const box = element.getBoundingClientRect()
    const isMarked = (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none'
    return { name: name.trim(), isSeen: element === document.body || (isMarked && box.width > 0 && box.bottom > 0) }
  })()`)
  expect(isSeen, `the focus is visible on "${name}"`).toBe(true)
  return name
}

/** Presses Tab until an element with this name has the focus. Returns the names of the elements on the way, in order. */
async function tabTo(page: Page, name: RegExp, key = 'Tab'): Promise<string[]> {
  const passed: string[] = []
  for (let stop = 0; stop < stopsMax; stop++) {
    await page.keyboard.press(key)
    const now = await focused(page)
    if (name.test(now)) return passed
    passed.push(now)
  }
  throw new Error(`Tab does not reach ${name}, only ${passed.join(', ')}`)
}

/**
 * Presses the upload key until the file chooser opens, as a user would: while the list re-renders, a key press has no
 * effect.
 */
async function pressForFiles(page: Page): Promise<FileChooser> {
  for (;;) {
    const asked = page.waitForEvent('filechooser', { timeout: 10_000 }).catch(() => null)
    await page.keyboard.press('u')
    const chooser = await asked
    if (chooser !== null) return chooser
  }
}
