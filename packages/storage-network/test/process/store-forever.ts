// Stores copies of a file again and again, saying when one is committed, until it is killed.
import { openDirectory } from '../embedded-directory.ts'
import { patternBytes } from './pattern-bytes.ts'

const [dir = '', reference = '', sizeBytes = ''] = process.argv.slice(2)
const network = openDirectory(dir)
const { signal } = new AbortController()
for (;;) {
  const staged = await network.stage(patternBytes(Number(sizeBytes)), { reference, signal })
  await staged.commit()
  process.stdout.write('committed\n')
}
