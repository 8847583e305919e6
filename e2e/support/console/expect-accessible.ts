import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const options = JSON.stringify({
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice'],
  // Off by default: https://github.com/dequelabs/axe-core/issues/3705
  rules: { 'target-size': { enabled: true } },
  resultTypes: ['violations'],
})

/** Finishes color transitions between looks. Inside collapsed elements they would never finish. */
const finishAnimations = `for (const animation of document.getAnimations()) {
  if (Number.isFinite(animation.effect.getComputedTiming().endTime)) animation.finish()
}`

const findViolations = `axe.run(document, ${options}).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`

/** The visible content passes all axe rules for WCAG 2.2 AA. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  await page.evaluate(finishAnimations)
  expect(page.frames(), what).toHaveLength(1) // axe does not check other frames
  // Loading axe takes more than half of the time of a check, so each page loads it once.
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe)
  expect(await page.evaluate<string[]>(findViolations), what).toEqual([])
}
