import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findOnPath } from '../../src/binaries/find-on-path.ts'
import { serverBinary } from '../../src/binaries/server-binary.ts'
import { processIdentity } from '../../src/processes/process-identity.ts'
import type { RunningChild } from '../../src/processes/run-child.ts'
import { launchNats } from '../../src/servers/launch-nats.ts'
import { launchS3 } from '../../src/servers/launch-s3.ts'
import { launchPostgres } from '../../src/servers/postgres/launch-postgres.ts'
import { temporaryDir } from '../temporary-dir.ts'

const launchers: Record<string, (dir: string) => Promise<RunningChild>> = {
  postgres: (dataDir) => launchPostgres({ dataDir, durable: false }),
  nats: (storeDir) => launchNats({ storeDir }),
  s3: (dataDir) => launchS3({ dataDir, accessKeyId: 'test', secretAccessKey: 'test-secret' }),
}

/** Starts a server from a process of its own and kills that with -9 as soon as the server is ready; returns its pid. */
async function launchAndKillStarter(kind: string, dir: string, path: string): Promise<number> {
  const script = fileURLToPath(new URL('../fixtures/launch-and-wait.ts', import.meta.url))
  const env = {
    ...process.env,
    PATH: path,
    NATS_SERVER_BIN: await serverBinary('nats-server'),
    VERSITYGW_BIN: await serverBinary('versitygw'),
  }
  const starter = spawn(process.execPath, [script, kind, dir], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(createInterface({ input: starter.stdout }), 'line')
  starter.kill('SIGKILL')
  await once(starter, 'exit')
  return Number(line)
}

/** A PATH without setpriv: with it the kernel would end the server, and there would be no stray. */
async function pathWithoutSetpriv(dir: string): Promise<string> {
  const [id] = await findOnPath('id', process.env)
  await symlink(id as string, join(dir, 'id'))
  return dir
}

test.each(Object.keys(launchers))('%s left behind by a killed process is ended by the next start', async (kind) => {
  await using dir = await temporaryDir()
  await using tools = await temporaryDir()
  const stray = await launchAndKillStarter(kind, dir.path, await pathWithoutSetpriv(tools.path))
  expect(await processIdentity(stray)).toBeDefined()

  await using server = await launchers[kind]?.(dir.path)
  expect(await processIdentity(stray)).toBeUndefined()
  expect(server?.pid).not.toBe(stray)
})

test.runIf(process.platform === 'linux')(
  'where setpriv is, a server ends with the process that started it',
  async () => {
    await using dir = await temporaryDir()
    const pid = await launchAndKillStarter('nats', dir.path, process.env.PATH as string)
    await expect.poll(() => processIdentity(pid), { timeout: 10_000 }).toBeUndefined()
  },
)

test('a server that its starter still uses is not taken away', async () => {
  await using dir = await temporaryDir()
  await using server = await launchNats({ storeDir: dir.path })
  await expect(launchNats({ storeDir: dir.path })).rejects.toThrow(`process ${server.pid} is in use by process`)
  expect(await processIdentity(server.pid)).toBeDefined()
})
