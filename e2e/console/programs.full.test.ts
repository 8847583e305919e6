import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { accountId, createVault } from '../support/account.ts'
import { browserTest } from '../support/browser/browser-test.ts'
import { clientOf } from '../support/console/client-of.ts'
import { consoleUrl, openConsole } from '../support/console/open-console.ts'
import { publicFileUrl } from '../support/reading.ts'
import { uploadFile } from '../support/uploads.ts'

const program = 'globalThis.ran = true; globalThis.postMessage?.("ran"); export {}'

/** URLs of a program that a user has published. */
async function publishProgram(): Promise<string[]> {
  const client = clientOf(`console-${crypto.randomUUID()}`)
  const vault = await createVault(client, 'public')
  const file = {
    vaultId: vault.id,
    name: 'lib.js',
    path: 'lib.js',
    mimeType: 'text/javascript',
    bytes: Buffer.from(program),
  }
  const { id } = await uploadFile(client, file)
  const origin = new URL(await consoleUrl()).origin
  const byPath = `${origin}/api/public/vaults/${await accountId(client)}/${vault.slug}/content/lib.js`
  const addresses = [publicFileUrl(client, id), byPath]
  // A fetch reads the program without running it.
  for (const address of addresses) expect(await (await fetch(address)).text(), address).toBe(program)
  const encoded = addresses.map((address) => `${origin}/console/assets/..%2f..%2f${address.slice(origin.length + 1)}`)
  return [...addresses, ...encoded]
}

/** A page with the console's headers, or with `policy` instead of its policy, and injected `markup`. */
async function openInjected(browsing: BrowserContext, markup: string, policy?: string): Promise<Page> {
  const url = `${await consoleUrl()}/injected`
  const headers = Object.fromEntries((await fetch(url)).headers)
  if (policy !== undefined) headers['content-security-policy'] = policy
  const page = await browsing.newPage()
  await page.route(url, (route) =>
    route.fulfill({ contentType: 'text/html', headers, body: `<!doctype html><head></head><body>${markup}` }),
  )
  await page.goto(url)
  return page
}

const importOf = (url: string) => `import(${JSON.stringify(url)}).then(() => 'ran', ({ name }) => name)`
const hasRun = (page: Page) => page.evaluate('globalThis.ran === true')

browserTest('the console never imports a program that a user has published', async ({ browsing }) => {
  const addresses = await publishProgram()
  const { page } = await openConsole(browsing)
  page.removeAllListeners('console')
  for (const address of addresses) expect(await page.evaluate(importOf(address)), address).toBe('TypeError')
  expect(await hasRun(page)).toBe(false)
})

browserTest(
  'the content security policy alone blocks such programs, workers, styles, and base URLs',
  async ({ browsing }) => {
    const [address = '', byPath = ''] = await publishProgram()
    // Simulates a gateway that serves the files as programs.
    await browsing.route('**/api/public/**', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: program }),
    )
    const script = `<script src="${address}"></script>`

    const unguarded = await openInjected(browsing, script.replace('src', 'type="module" src'), "script-src 'self'")
    await expect.poll(() => hasRun(unguarded)).toBe(true)
    expect(await unguarded.evaluate(importOf(byPath))).toBe('ran')

    const markup = `${script}<script type="module" src="${byPath}"></script><link rel="stylesheet" href="${address}">`
    const page = await openInjected(browsing, `<base href="/api/public/">${markup}`)
    expect(await page.evaluate(importOf(address))).toBe('TypeError')
    expect(await page.evaluate(startWorkers(address))).toEqual(['refused', 'refused', 'refused'])
    expect(await page.evaluate('document.baseURI')).toBe(page.url())
    expect(await hasRun(page)).toBe(false)
  },
)

/** Starts dedicated, shared, and service workers from a page whose only Trusted Types policy is the attacker's. */
const startWorkers = (address: string) => `(async () => {
  const policy = trustedTypes.createPolicy('tideport-workers', { createScriptURL: (url) => url })
  const url = policy.createScriptURL(${JSON.stringify(address)})
  const outcome = (make) => new Promise((resolve) => {
    try {
      const worker = make()
      worker.onerror = () => resolve('refused')
      const port = worker.port ?? worker
      port.onmessage = () => resolve('ran')
    } catch { resolve('refused') }
  })
  return [
    await outcome(() => new Worker(url)),
    await outcome(() => new SharedWorker(url)),
    await navigator.serviceWorker.register(url).then(() => 'ran', () => 'refused'),
  ]
})()`

browserTest('the documentation page imports no program that a user has published', async ({ browsing }) => {
  const [address = ''] = await publishProgram()
  await browsing.route('**/api/public/**', (route) => route.fulfill({ contentType: 'text/javascript', body: program }))
  const page = await browsing.newPage()
  await page.goto(`${new URL(await consoleUrl()).origin}/docs`)
  await page.locator('.swagger-ui .info').waitFor()
  expect(await page.evaluate(importOf(address))).toBe('TypeError')
})
