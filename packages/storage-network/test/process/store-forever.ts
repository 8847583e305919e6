// Stores copies of a file repeatedly until it is killed, and reports each commit.
import { openStorageNetwork } from '../../src/open-network.ts'
import { patternBytes } from './pattern-bytes.ts'

const [config = '', reference = '', sizeBytes = ''] = process.argv.slice(2)
const network = await openStorageNetwork(JSON.parse(config), { installationId: async () => 'test-installation' })
const { signal } = new AbortController()
for (;;) {
  const staged = await network.stage(patternBytes(Number(sizeBytes)), { reference, signal })
  await staged.commit()
  process.stdout.write('committed\n')
}
