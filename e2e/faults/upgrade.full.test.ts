import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { nodeEnvironment } from '@tideport/testing/node-environment'
import { spawnProgram } from '@tideport/testing/spawn-program'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { createVault } from '../support/account.ts'
import { createApiClient } from '../support/api-client.ts'
import { fetchBytes } from '../support/reading.ts'
import { quickLife, type StackFile } from '../support/start-test-stack.ts'
import { uniqueBytes, untilStatus, uploadFile } from '../support/uploads.ts'

const run = promisify(execFile)

/** The newest release tag before this commit, or the commit in RELEASE_BEFORE. Undefined before the first release. */
function lastRelease(): string | undefined {
  if (process.env.RELEASE_BEFORE) return process.env.RELEASE_BEFORE
  try {
    const tags = execFileSync('git', ['tag', '--merged', 'HEAD', '--sort=-v:refname', '--list', 'v*'], {
      stdio: 'pipe',
    })
    return tags.toString().split('\n')[0] || undefined
  } catch {
    return undefined // a shallow clone, for example
  }
}

/** Installs the sources of a release and their dependencies in a directory, which is deleted on disposal. */
async function installRelease(release: string) {
  const directory = await mkdtemp(join(tmpdir(), 'tideport-release-'))
  const archive = execFileSync('git', ['archive', release], { maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', directory], { input: archive })
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: directory, env: nodeEnvironment(), maxBuffer: 2 ** 26 })
  return {
    program: new URL('packages/dev-stack/src/main.ts', pathToFileURL(`${directory}/`)),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}

const release = lastRelease()
const identity = { 'X-Dev-Provider-Id': `e2e-${crypto.randomUUID()}` }
const ownProgram = new URL('../../packages/dev-stack/src/main.ts', import.meta.url)

/** Starts a complete system with this program on this data, and a client of its gateway. */
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
  `data of the last release works with this version: ${release ?? 'skipped, nothing was released yet'}`,
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
