import type { FileChooser, Page } from 'playwright-core'
import { expect } from 'vitest'

/** More stops than any page has. */
const stopsMax = 60

/** What a person sees who presses Tab: what has the focus now, by its name. Fails where nobody could see that it has it. */
export async function focused(page: Page): Promise<string> {
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
export async function tabTo(page: Page, name: RegExp, key = 'Tab'): Promise<string[]> {
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
export async function pressForFiles(page: Page): Promise<FileChooser> {
  for (;;) {
    const asked = page.waitForEvent('filechooser', { timeout: 10_000 }).catch(() => null)
    await page.keyboard.press('u')
    const chooser = await asked
    if (chooser !== null) return chooser
  }
}
