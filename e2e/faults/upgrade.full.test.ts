import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawnProgram } from '@tideport/testing/spawn-program'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { createVault } from '../support/account.ts'
import { createApiClient } from '../support/api-client.ts'
import { fetchBytes } from '../support/reading.ts'
import { quickLife, type StackFile } from '../support/start-test-stack.ts'
import { uniqueBytes, untilStatus, uploadFile } from '../support/uploads.ts'
import { installRelease, lastRelease } from './support/last-release.ts'

const release = lastRelease()
const identity = { 'X-Dev-Provider-Id': `e2e-${crypto.randomUUID()}` }
const ownProgram = new URL('../../packages/dev-stack/src/main.ts', import.meta.url)

/** A whole system by this program on this data, and a client of its gateway. */
async function startOn(program: URL, dataDir: string) {
  const stack = spawnProgram(program, quickLife, ['--data', dataDir, '--port', '0'])
  const isUp = () => /^ready/m.test(stack.output.stdout) || stack.output.stderr !== ''
  await waitFor(isUp, { what: 'the system to be ready', timeoutMs: 240_000 })
  const described = await readFile(join(dataDir, 'stack.json'), 'utf8').catch(() => {
    throw new Error(`${fileURLToPath(program)} did not start:\n${stack.printed()}`)
  })
  const [gatewayUrl] = (JSON.parse(described) as StackFile).gatewayUrls
  return { stack, client: createApiClient(gatewayUrl as string, identity, { takes503: true }) }
}

test.skipIf(release === undefined)(
  `what the last release kept goes on with this version: ${release ?? 'skipped, nothing was released yet'}`,
  { timeout: 1_200_000 },
  async () => {
    await using before = await installRelease(release as string)
    await using data = await createTemporaryDirectory('upgrade')
    const bytes = [uniqueBytes(), uniqueBytes()] as const
    const old = await startOn(before.program, data.path)
    const vault = await createVault(old.client, 'public')
    const cold = await uploadFile(old.client, { vaultId: vault.id, bytes: bytes[0] })
    await untilStatus(old.client, cold.id, 'cold')
    const fresh = await uploadFile(old.client, { vaultId: vault.id, bytes: bytes[1] })
    expect(await old.stack.kill('SIGTERM')).toMatchObject({ code: 0 })

    const now = await startOn(ownProgram, data.path)
    await untilStatus(now.client, fresh.id, 'cold')
    for (const [index, file] of [cold, fresh].entries()) {
      const read = await fetchBytes(`${now.client.baseUrl}/api/public/files/${file.id}`)
      expect(read.status).toBe(200)
      expect(read.bytes.equals(bytes[index] as Buffer)).toBe(true)
    }
    const later = await uploadFile(now.client, { vaultId: vault.id, bytes: uniqueBytes() })
    await untilStatus(now.client, later.id, 'cold')
    expect(await now.stack.kill('SIGTERM')).toMatchObject({ code: 0 })
  },
)
