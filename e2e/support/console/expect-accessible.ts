import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice']

/** Colours on their way from one look to another are none of either. Within what is folded away they would never arrive. */
const finishAnimations = `for (const animation of document.getAnimations()) {
  if (Number.isFinite(animation.effect.getComputedTiming().endTime)) animation.finish()
}`

/** What axe knows of WCAG 2.2 AA holds for all that is shown now. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  await page.evaluate(finishAnimations)
  // Off unless asked for: https://github.com/dequelabs/axe-core/issues/3705
  const rules = { 'target-size': { enabled: true } }
  const axe = new AxeBuilder({ page }).options({ runOnly: tags, rules, resultTypes: ['violations'] })
  // In the page alone, which holds no other: without a second page that gathers what each frame told it takes half as long.
  expect(page.frames(), what).toHaveLength(1)
  const { violations } = await axe.setLegacyMode().analyze()
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  expect(found, what).toEqual([])
}
