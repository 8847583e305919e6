import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { hasKubo } from '@tideport/testing/kubo'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, test } from 'vitest'
import { findOnPath } from '../../src/binaries/find-on-path.ts'
import { serverBinary } from '../../src/binaries/server-binary.ts'
import { processIdentity } from '../../src/processes/process-identity.ts'
import type { RunningChild } from '../../src/processes/run-child.ts'
import { launchKubo } from '../../src/servers/launch-kubo.ts'
import { launchNats } from '../../src/servers/launch-nats.ts'
import { launchS3 } from '../../src/servers/launch-s3.ts'
import { launchPostgres } from '../../src/servers/postgres/launch-postgres.ts'
import { startFixture } from '../start-fixture.ts'

const launchers: Record<string, (dir: string) => Promise<RunningChild>> = {
  postgres: (dataDir) => launchPostgres({ dataDir, durable: false }),
  ...(hasKubo() && { kubo: (dataDir) => launchKubo({ dataDir, durable: false }) }),
  nats: (dataDir) => launchNats({ dataDir }),
  s3: (dataDir) => launchS3({ dataDir, accessKeyId: 'test', secretAccessKey: 'test-secret' }),
}

/** Starts a server from a separate process, kills that process with -9, and returns the server's pid. */
async function launchAndKillStarter(kind: string, dir: string, path: string): Promise<number> {
  const env = {
    ...process.env,
    PATH: path,
    NATS_SERVER_BIN: await serverBinary('nats-server'),
    VERSITYGW_BIN: await serverBinary('versitygw'),
    ...(kind === 'kubo' && { KUBO_BIN: await serverBinary('ipfs') }),
  }
  const starter = await startFixture('launch-and-wait', [kind, dir], env)
  await starter.kill()
  return Number(starter.line)
}

/** A PATH without setpriv, because with setpriv the kernel stops the server and leaves no stray. */
async function pathWithoutSetpriv(dir: string): Promise<string> {
  const [id] = await findOnPath('id', process.env)
  await symlink(id as string, join(dir, 'id'))
  return dir
}

test.each(Object.keys(launchers))(
  'the next start stops a %s server that a killed process left behind',
  async (kind) => {
    await using dir = await createTemporaryDirectory('dev-stack')
    await using tools = await createTemporaryDirectory('dev-stack')
    const stray = await launchAndKillStarter(kind, dir.path, await pathWithoutSetpriv(tools.path))
    expect(await processIdentity(stray)).toBeDefined()

    await using server = await launchers[kind]?.(dir.path)
    expect(await processIdentity(stray)).toBeUndefined()
    expect(server?.pid).not.toBe(stray)
  },
)

test.runIf(process.platform === 'linux')(
  'a server exits with the process that started it if setpriv is available',
  async () => {
    await using dir = await createTemporaryDirectory('dev-stack')
    const pid = await launchAndKillStarter('nats', dir.path, process.env.PATH as string)
    await expect.poll(() => processIdentity(pid)).toBeUndefined()
  },
)

test('does not stop a server that its starter still uses', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  await using server = await launchNats({ dataDir: dir.path })
  await expect(launchNats({ dataDir: dir.path })).rejects.toThrow(`process ${server.pid} is in use by process`)
  expect(await processIdentity(server.pid)).toBeDefined()
})
