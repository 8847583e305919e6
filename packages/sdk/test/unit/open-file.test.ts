import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, it } from 'vitest'
import { openFile } from '../../src/node/open-file.ts'

it('refuses a pipe at once, in place of waiting for somebody who writes to it', async () => {
  await using directory = await createTemporaryDirectory('open-file')
  const path = join(directory.path, 'pipe')
  execFileSync('mkfifo', [path])
  await expect(openFile(path)).rejects.toThrow('is not a file')
})
