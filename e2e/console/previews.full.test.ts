import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { browserTest } from '../support/browser/browser-test.ts'
import { hostileFiles } from '../support/browser/hostile-files.ts'
import { startAttacker } from '../support/browser/start-attacker.ts'
import { clientOf } from '../support/console/client-of.ts'
import { expectAccessible } from '../support/console/expect-accessible.ts'
import { currentTime, duration, pictureWidth, seekTo, setTime } from '../support/console/media.ts'
import { openConsole } from '../support/console/open-console.ts'
import { png, sound } from '../support/console/samples.ts'
import { storeFile } from '../support/console/store-file.ts'
import { untilStatus } from '../support/uploads.ts'

const preview = (page: Page) => page.getByRole('region', { name: 'Preview' }).first()

browserTest('previews images and text and explains a missing preview', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const client = clientOf(who)
  const picture = await storeFile(client, { path: 'dot.png', mimeType: 'image/png', bytes: png })
  await page.goto(`${url}/files/${picture.id}`)
  const image = preview(page).getByRole('img', { name: 'dot.png' })
  await image.waitFor()
  await expect.poll(() => image.evaluate(pictureWidth)).toBe(1)
  await expectAccessible(page, 'a picture')

  const long = Buffer.from(`Grüße\n${'<b>tide</b>\n'.repeat(20_000)}`)
  const letter = await storeFile(client, { path: 'letter.md', mimeType: 'text/markdown', bytes: long })
  await page.goto(`${url}/files/${letter.id}`)
  await preview(page).getByText('<b>tide</b>').waitFor()
  await page.getByText('This preview shows the first 131 kB').waitFor()
  await expectAccessible(page, 'text')

  const others = [
    {
      path: 'a.zip',
      mimeType: 'application/zip',
      bytes: Buffer.from('PK'),
      reason: 'This type of file has no preview.',
    },
    { path: 'a.pdf', mimeType: 'application/PDF; version=2', bytes: Buffer.from('%PDF-'), reason: 'PDF files have no' },
    { path: 'a.png', mimeType: 'image/png', bytes: Buffer.from(''), reason: 'The file is empty.' },
  ]
  for (const { reason, ...file } of others) {
    const { id } = await storeFile(client, file)
    await page.goto(`${url}/files/${id}`)
    await preview(page).getByText(reason).waitFor()
    await expectAccessible(page, reason)
    const saving = page.waitForEvent('download')
    await preview(page).getByRole('button', { name: 'Save file' }).click()
    expect((await saving).suggestedFilename()).toBe(file.path)
  }
})

browserTest('plays audio of a cold file from any position by reading from that position', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const client = clientOf(who)
  const bytes = sound(120)
  const { id } = await storeFile(client, { path: 'surf.wav', mimeType: 'audio/wav', bytes })
  await untilStatus(client, id, 'cold')
  const ranges: number[] = []
  page.on('request', (request) => {
    const [, from] = /^bytes=(\d+)-/.exec(request.headers().range ?? '') ?? []
    if (request.url().includes('/api/downloads/')) ranges.push(Number(from))
  })
  await page.goto(`${url}/files/${id}`)
  const audio = preview(page).locator('audio')
  await audio.waitFor()
  await expect.poll(() => audio.evaluate(duration)).toBeCloseTo(120, 0)
  await audio.evaluate(seekTo, 100)
  expect(await audio.evaluate(currentTime)).toBeCloseTo(100, 0)
  expect(Math.max(...ranges)).toBeGreaterThan(bytes.length / 2)
  await expectAccessible(page, 'sound')
})

browserTest('requests a new URL after the old one expires and continues at the same position', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const client = clientOf(who)
  const { id } = await storeFile(client, { path: 'surf.wav', mimeType: 'audio/wav', bytes: sound(120) })
  await untilStatus(client, id, 'cold')
  let urls = 0
  await page.route('**/api/files/*/download**', (route) => {
    urls += 1
    return route.continue()
  })
  await page.goto(`${url}/files/${id}`)
  const audio = preview(page).locator('audio')
  await audio.waitFor()
  await audio.evaluate(seekTo, 50)
  // From here on, the first URL has expired.
  await page.route('**/api/downloads/**', (route) => {
    if (urls < 2) return route.fulfill({ status: 404, body: '' })
    return route.continue()
  })
  await audio.evaluate(setTime, 110)
  await expect.poll(() => urls).toBe(2)
  await expect.poll(() => audio.evaluate(currentTime)).toBeCloseTo(110, 0)
})

browserTest('no file content or name runs code or causes requests to other origins', async ({ browsing }) => {
  await using attacker = await startAttacker()
  const { page, who, url } = await openConsole(browsing)
  const client = clientOf(who)
  const origins = new Set<string>()
  page.on('request', (request) => origins.add(new URL(request.url()).origin))
  const files = hostileFiles(attacker.program)
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="${attacker.origin}/ran/svg" width="9" height="9"/><style>@import url(${attacker.origin}/ran/css)</style></svg>`
  for (const mimeType of ['image/svg+xml', 'image/png']) files.push({ mimeType, bytes: Buffer.from(picture) })
  for (const [index, { mimeType, bytes }] of files.entries()) {
    const name = `${index}<img src=x onerror=document.title='ran'>{{7*7}}\u202Egpj.html`
    const { id } = await storeFile(client, {
      path: name,
      mimeType,
      bytes,
      query: `?tag=${encodeURIComponent('<script>1</script>')}`,
    })
    await page.goto(`${url}/files/${id}`)
    await page.getByRole('heading', { level: 1 }).getByText(`${index}<img`).waitFor()
    await page.waitForLoadState('networkidle')
    expect(await page.title(), mimeType).not.toBe('ran')
    expect(page.context().pages(), mimeType).toHaveLength(1)
  }
  expect(attacker.ran()).toEqual([])
  expect([...origins].filter((origin) => origin === attacker.origin)).toEqual([])
})
