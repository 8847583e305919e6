import { randomBytes } from 'node:crypto'
import { browserTest } from '../support/browser/browser-test.ts'
import { clientOf } from '../support/console/client-of.ts'
import { expectAccessibleInAllLooks } from '../support/console/looks.ts'
import { openConsole } from '../support/console/open-console.ts'
import { privateVault } from '../support/console/private-vault.ts'
import { storeFile } from '../support/console/store-file.ts'

browserTest('pages without forms are accessible in all looks, including hostile names', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const client = clientOf(who)
  const bytes = () => randomBytes(9)
  const { vaultId } = await storeFile(client, { path: 'trip/\u202efdp.exe', bytes: bytes() })
  const { id } = await storeFile(client, {
    path: `trip/${'long '.repeat(40)}.txt`,
    bytes: bytes(),
    query: '?tag=harbour',
  })
  await client.delete(`/api/files/${id}`)
  const { id: diary } = await privateVault(who)
  const places = {
    [`/vaults/${vaultId}?in=trip/`]: '[U+202E]fdp.exe',
    [`/vaults/${diary}/key`]: 'Nobody can recover a lost key.',
    '/trash': 'long long',
    '/no/such/page': 'Page not found',
  }
  for (const [path, shown] of Object.entries(places)) {
    await page.goto(url + path)
    await page.getByText(shown).first().waitFor()
    await expectAccessibleInAllLooks(page, path)
  }
})
