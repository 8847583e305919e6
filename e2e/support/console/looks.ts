import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { expectAccessible } from './expect-accessible.ts'

const wide = { width: 1280, height: 800 }
export const narrow = { width: 360, height: 740 }

const looks = [
  { name: 'light', colorScheme: 'light' },
  { name: 'dark', colorScheme: 'dark' },
  { name: 'forced colors, 360 px', forcedColors: 'active', viewport: narrow },
  { name: 'dark, 360 px, less motion', colorScheme: 'dark', viewport: narrow, reducedMotion: 'reduce' },
] as const

/** The visible content is accessible in each look without horizontal overflow. The window is wide afterwards. */
export async function expectAccessibleInAllLooks(page: Page, what: string): Promise<void> {
  for (const { name, ...look } of looks) {
    const { viewport, ...media } = { viewport: wide, ...look }
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme: null, forcedColors: null, reducedMotion: null, ...media })
    await expectAccessible(page, `${what}: ${name}`)
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), `${what}: ${name}`).toBe(0)
  }
  await page.setViewportSize(wide)
}
