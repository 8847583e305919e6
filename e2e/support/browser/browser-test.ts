import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { test } from 'vitest'
import { browserProgram, howToGetOne } from './browser-program.ts'

/** In addition to Playwright's own flags: the browser can reach only this machine's loopback. */
const flags = [
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
  '--disable-quic',
  '--disable-domain-reliability',
  '--no-pings',
]

/** As long as `waitFor` waits, so a busy machine does not fail a test. */
const patienceMs = 120_000

/** Null without a browser. The browser is controlled over a pipe and exits with this process, even if it is killed. */
async function openBrowser(): Promise<Browser | null> {
  const options = await launchOptions()
  return options && (await chromium.launch(options))
}

async function launchOptions() {
  const program = await browserProgram()
  if (program === undefined) return null
  const { path, env } = program
  // The browser encodes file names by the locale, and without a locale in ASCII only.
  const locale = { LANG: 'C.UTF-8', ...env }
  return { executablePath: path, env: definedOnly(locale), args: flags, timeout: patienceMs }
}

/** A profile that shares no data with other profiles. */
export async function openProfile(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext()
  context.setDefaultTimeout(patienceMs)
  return context
}

const definedOnly = (env: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))

/**
 * A test in a real browser. Each test has its own profile: `browsing` in the browser of the test file, or `profile` on
 * disk in a separate browser. Without a browser, the test is skipped with advice.
 */
export const browserTest = test.extend<{ browser: Browser | null; browsing: BrowserContext; profile: BrowserContext }>({
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of other fixtures from this pattern
    async ({}, use) => {
      const browser = await openBrowser()
      await use(browser)
      await browser?.close()
    },
    { scope: 'file' },
  ],
  browsing: async ({ browser, skip }, use) => {
    if (browser === null) return skip(howToGetOne)
    const context = await openProfile(browser)
    await use(context)
    await context.close()
  },
  profile: async ({ skip }, use) => {
    const options = await launchOptions()
    if (options === null) return skip(howToGetOne)
    await using directory = await createTemporaryDirectory('profile')
    const context = await chromium.launchPersistentContext(directory.path, options)
    context.setDefaultTimeout(patienceMs)
    await use(context)
    await context.close()
  },
})
