import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, it } from 'vitest'
import { formatMarker } from '../../src/owner.ts'
import type { CopyName } from '../../src/storage-network.ts'
import { describeStorageNetwork } from '../conformance.ts'
import { openDirectoryNetwork } from '../new-network/directory-network.ts'

const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')

/** Does what its `set-up` would do: creates the directory and marks it. */
async function openDirectory() {
  const directory = await createTemporaryDirectory('new-network')
  const dir = directory.path
  await mkdir(join(dir, 'staging'))
  await writeFile(
    join(dir, 'tideport-network.json'),
    formatMarker({ installation: 'test-installation', network: 'shelf' }),
  )
  const open = () => openDirectoryNetwork({ dir, name: 'shelf', installationId: async () => 'test-installation' })
  const pathOf = ({ blobId, reference }: CopyName) => join(dir, blobId, reference)
  return {
    ...{ network: open(), open },
    contentOf: (copy: CopyName) => readFile(pathOf(copy)),
    treeOf: async () => Buffer.alloc(0),
    replaceContent: (copy: CopyName, bytes: Buffer) => writeFile(pathOf(copy), bytes),
    replaceTree: async () => undefined,
    async loseStaged() {
      for (const name of await readdir(join(dir, 'staging'))) await rm(join(dir, 'staging', name))
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}

describeStorageNetwork('a driver as documented', openDirectory, { mendsTrees: false })

it('the page on new networks contains exactly that driver, in at most 150 lines', async () => {
  const [page, driver] = [
    await read('../../../../docs/contribute/add-a-network.md'),
    await read('../new-network/directory-network.ts'),
  ]
  expect(page).toContain(`\n\`\`\`ts\n${driver}\`\`\`\n`)
  expect(driver.split('\n').length - 1).toBeLessThanOrEqual(150)
})
