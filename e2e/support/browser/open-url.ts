import type { Download, Page } from 'playwright-core'

/** Goes to an address as if its link had been followed. The download it became, or null when the page shows it now. */
export async function openUrl(page: Page, url: string): Promise<Download | null> {
  const { promise, resolve } = Promise.withResolvers<Download>()
  page.once('download', resolve)
  try {
    await page.goto(url)
    return null
  } catch (error) {
    if (!String(error).includes('Download is starting')) throw error
    return await promise
  } finally {
    page.off('download', resolve)
  }
}
