import type { FileChooser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { browserTest } from '../support/browser/browser-test.ts'
import { openConsole } from '../support/console/open-console.ts'
import { passphrase, privateVault } from '../support/console/private-vault.ts'
import { sound } from '../support/console/samples.ts'

browserTest(
  'a private vault gets its key, is filled, looked into, locked and opened by keyboard alone',
  async ({ browsing }) => {
    const { page, who, url } = await openConsole(browsing)
    await privateVault(who)
    await page.goto(url)
    await page.getByRole('link', { name: 'Diary', exact: true }).waitFor()
    await tabTo(page, /^Key: Diary$/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Make the key' }).waitFor()
    // What is lost is read before the fields, and the fields come in the order of the page.
    expect(await tabTo(page, /^Passphrase$/)).toEqual(['To the files'])
    await page.keyboard.type(passphrase)
    expect(await tabTo(page, /^Passphrase, once more/)).toEqual([])
    await page.keyboard.type(passphrase)
    await tabTo(page, /I will keep the passphrase/)
    await page.keyboard.press('Space')
    expect(await tabTo(page, /^Make the key$/)).toEqual(['Suggest one'])
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'The vault is open' }).waitFor()
    // The form is gone, and with it what had the focus: it is at the page's top, not at the window's.
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('MAIN')
    await page.getByRole('status').getByText('The key is made. Save the recovery file now').waitFor()
    const saving = page.waitForEvent('download')
    await tabTo(page, /^Save the recovery file$/)
    await page.keyboard.press('Enter')
    await saving

    await tabTo(page, /^To the files$/, 'Shift+Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Upload files' }).waitFor()
    // The dialog that gives handles takes a person.
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
    // The focus goes with what is drawn.
    await expect.poll(() => focused(page)).toMatch(/today\.txt/)
    await page.keyboard.press('Enter')
    await page.getByText('Dear diary').waitFor()
    await page.goBack()

    // It is where it was before the file was opened.
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
    await page.getByRole('heading', { name: 'The vault is open' }).waitFor()
    await tabTo(page, /^Lock$/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Open the vault' }).waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('MAIN')
    await tabTo(page, /^Passphrase or identity/)
    await page.keyboard.type('something else')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('This does not open it').waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type(passphrase)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'The vault is open' }).waitFor()
  },
)

/** More stops than any page has. */
const stopsMax = 60

/** What a person sees who presses Tab: what has the focus now, by its name. Fails where nobody could see that it has it. */
async function focused(page: Page): Promise<string> {
  const { name, isSeen } = await page.evaluate<{ name: string; isSeen: boolean }>(`(() => {
    const element = document.activeElement
    const labels = [...(element.labels ?? [])].map(({ textContent }) => textContent)
    const text = labels.length > 0 ? labels.join(' ') : element.textContent
    // All of the page's text would be no name of what has the focus, but of nothing that has it.
    const name = element === document.body ? '' : element.getAttribute('aria-label') ?? text
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
    const box = element.getBoundingClientRect()
    const isMarked = (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none'
    return { name: name.trim(), isSeen: element === document.body || (isMarked && box.width > 0 && box.bottom > 0) }
  })()`)
  expect(isSeen, `the focus is seen on "${name}"`).toBe(true)
  return name
}

/** Presses Tab until something of this name has the focus; what had it on the way, in order. */
async function tabTo(page: Page, name: RegExp, key = 'Tab'): Promise<string[]> {
  const passed: string[] = []
  for (let stop = 0; stop < stopsMax; stop++) {
    await page.keyboard.press(key)
    const now = await focused(page)
    if (name.test(now)) return passed
    passed.push(now)
  }
  throw new Error(`No Tab leads to ${name}, but to ${passed.join(', ')}`)
}

/**
 * Presses the key that uploads until the browser asks for files, as a person would: where the list is drawn anew, a press
 * in between is nobody's.
 */
async function pressForFiles(page: Page): Promise<FileChooser> {
  for (;;) {
    const asked = page.waitForEvent('filechooser', { timeout: 10_000 }).catch(() => null)
    await page.keyboard.press('u')
    const chooser = await asked
    if (chooser !== null) return chooser
  }
}
