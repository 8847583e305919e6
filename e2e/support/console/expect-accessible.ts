import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice']

/** What axe knows of WCAG 2.2 AA holds for all that is shown now. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  // Colours on their way from one look to another are none of either.
  await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))')
  // Off unless asked for: https://github.com/dequelabs/axe-core/issues/3705
  const axe = new AxeBuilder({ page }).options({ runOnly: tags, rules: { 'target-size': { enabled: true } } })
  const { violations } = await axe.analyze()
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  expect(found, what).toEqual([])
}
