import { expect } from 'vitest'
import { createVault } from '../support/account.ts'
import { browserTest } from '../support/browser/browser-test.ts'
import { freshAccount } from '../support/shared-stack.ts'
import { uniqueBytes, uploadFile } from '../support/uploads.ts'

type Link = { id: string; url: string; downloads: number }

browserTest(
  'a visitor with a link and its password reads the file on a page without scripts until the link is revoked',
  async ({ browsing }) => {
    const client = freshAccount()
    const vault = await createVault(client, 'public')
    const bytes = uniqueBytes(1000)
    const file = await uploadFile(client, { vaultId: vault.id, bytes, name: 'report <b>.bin' })
    const password = 'open sesame'
    const { body: link } = await client.post<Link>(`/api/files/${file.id}/links`, { password, maxDownloads: 1 })
    const page = await browsing.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    const { pathname } = new URL(link.url)
    await page.goto(client.baseUrl + pathname)
    await page.getByLabel('Password').fill('something else')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByRole('heading', { name: 'report <b>.bin' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(pathname)
    expect(await page.locator('script').count()).toBe(0)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^report/)
    expect((await download.createReadStream().then((stream) => stream.toArray())).flatMap((part) => [...part])).toEqual(
      [...bytes],
    )
    expect((await client.get<Link>(`/api/links/${link.id}`)).body.downloads).toBe(1)
    await page.reload()
    await page.getByRole('heading', { name: 'Link not found' }).waitFor()
    // The browser logs the 403 of the wrong password and the 404 of the used link.
    expect(complaints.filter((text) => !/status of 40[34]/.test(text))).toEqual([])
  },
)

browserTest('a visitor browses the folder of a link', async ({ browsing }) => {
  const client = freshAccount()
  const vault = await createVault(client, 'public')
  const put = (path: string) =>
    fetch(`${client.baseUrl}/api/vaults/${vault.id}/content/${path}`, {
      method: 'PUT',
      headers: { ...client.identity, 'content-type': 'text/plain' },
      body: path,
    })
  for (const path of ['in/a%20%26%20b.txt', 'in/sub%20folder/c.txt', 'out.txt'])
    expect((await put(path)).status).toBe(201)
  const { body: link } = await client.post<Link>(`/api/vaults/${vault.id}/links`, { prefix: 'in/' })
  const page = await browsing.newPage()
  await page.goto(client.baseUrl + new URL(link.url).pathname)
  await page.getByRole('link', { name: 'sub folder/' }).click()
  await page.getByRole('link', { name: 'c.txt' }).click()
  await page.getByText('in/sub%20folder/c.txt').waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'in', exact: true }).click()
  await page.getByRole('link', { name: 'a & b.txt' }).click()
  await page.getByText('in/a%20%26%20b.txt').waitFor()
})

browserTest('a visitor with an upload link sends a file with its form', async ({ browsing }) => {
  const client = freshAccount()
  const vault = await createVault(client, 'public')
  const upload = { maxFiles: 2, maxFileBytes: 1000, maxBytes: 1500 }
  const { body: link } = await client.post<Link>(`/api/vaults/${vault.id}/links`, { prefix: 'in/', upload })
  const page = await browsing.newPage()
  await page.goto(client.baseUrl + new URL(link.url).pathname)
  const send = async (name: string, size: number) => {
    await page.getByLabel('File').setInputFiles({ name, mimeType: 'text/plain', buffer: uniqueBytes(size) })
    await page.getByRole('button', { name: 'Send' }).click()
  }
  await send('grüße.txt', 900)
  await page.getByText('grüße.txt (900 bytes) has been received').waitFor()
  await send('too-big.txt', 700)
  await page.getByText('The link accepts files of at most 600 bytes').waitFor()
  await send('last.txt', 1)
  await page.getByText('This link accepts no more files').waitFor()
  const { body } = await client.get<{ files: { name: string }[] }>(`/api/files?vaultId=${vault.id}&prefix=in/`)
  const named = body.files.map(({ name }) => name.replace(/-[0-9a-f]{12}/, ''))
  expect(named.toSorted()).toEqual(['grüße.txt', 'last.txt'])
})
