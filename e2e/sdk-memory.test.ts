import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, inject, test } from 'vitest'
import { createKey } from './support/account.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the file that is moved; more than the process may grow by unless given. */
    largeFileBytes?: number
  }
}

const MIB = 1024 ** 2
const GROWTH_BYTES = 256 * MIB
const program = join(import.meta.dirname, 'support/sdk/large-files.ts')

test('a file of any size is uploaded, downloaded, streamed and encrypted at constant memory', async () => {
  const size = inject('largeFileBytes') ?? 400 * MIB
  await using directory = await createTemporaryDirectory('large-file')
  const { key } = await createKey(freshAccount())
  const args = [program, sharedStack().gatewayUrls[0] as string, key, join(directory.path, 'large'), `${size}`]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const { told, grownBytes } = JSON.parse(stdout) as {
    told: Record<string, { bytes: number; bytesPerSecond: number }>
    grownBytes: number
  }
  expect(Object.keys(told)).toHaveLength(5)
  for (const { bytes } of Object.values(told)) expect(bytes).toBe(size)
  expect(grownBytes).toBeLessThan(GROWTH_BYTES)
  if (size > 400 * MIB) {
    const rates = Object.entries(told).map(([name, one]) => `${name} ${Math.round(one.bytesPerSecond / MIB)} MiB/s`)
    console.info(`${size / MIB} MiB: grew by ${Math.round(grownBytes / MIB)} MiB; ${rates.join(', ')}`)
  }
}, 3_600_000)
