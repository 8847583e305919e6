import type { Download, Page } from 'playwright-core'

/** Opens a URL like a followed link. Returns the download that it starts, or null if the page shows it. */
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
