import type { Page } from 'playwright-core'

/** Follows the link of the navigation to a page, and waits until that is there. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
}
