import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, test } from 'vitest'
import { createKey } from './support/account.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'

const MIB = 1024 ** 2
const GROWTH_BYTES = 256 * MIB
/** Maximum growth of the process. */
const SIZE_BYTES = 400 * MIB
const program = join(import.meta.dirname, 'support/sdk/large-files.ts')

test('a file of any size is uploaded, downloaded, streamed, and encrypted with constant memory', async () => {
  await using directory = await createTemporaryDirectory('large-file')
  const { key } = await createKey(freshAccount())
  const args = [program, sharedStack().gatewayUrls[0] as string, key, join(directory.path, 'large'), `${SIZE_BYTES}`]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const { moved, grownBytes } = JSON.parse(stdout) as { moved: Record<string, number>; grownBytes: number }
  expect(Object.values(moved)).toEqual(Array(5).fill(SIZE_BYTES))
  expect(grownBytes).toBeLessThan(GROWTH_BYTES)
})
