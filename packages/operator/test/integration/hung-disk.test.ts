import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { spawnProgram } from '@tideport/testing/spawn-program'
import { expect, it } from 'vitest'
import { setupInstallation } from '../installation.ts'

const root = new URL('../../../../', import.meta.url)

it('operator programs exit despite an unresponsive disk', async () => {
  await using t = await setupInstallation()
  await t.coldFile()
  // Opening the pipe blocks until somebody writes.
  const marker = join(t.directory.path, 'tideport-network.json')
  await rm(marker)
  await promisify(execFile)('mkfifo', [marker])
  const start = (program: string, ...args: string[]) =>
    spawnProgram(new URL(program, root), t.env as Record<string, string>, args)
  await using verifying = start('packages/operator/src/main.ts', 'verify', '--all')
  await using settingUp = start('services/files/src/set-up-network.ts')
  for (const program of [verifying, settingUp]) {
    expect((await program.ended).code).not.toBe(0)
    expect(program.printed()).toMatch(/disk (is unresponsive|did not respond)/)
  }
})
