import { access, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readStackFile, type StackFile, type StackProcess } from '../../src/data-directory/stack-file.ts'
import { processIdentity } from '../../src/processes/process-identity.ts'
import type { Stack } from '../../src/stack/start-stack.ts'
import { environmentOf, fromDisk, processOf, startFixtureStack as start } from '../fixture-stack.ts'
import { query } from '../query.ts'
import { startFixture } from '../start-fixture.ts'

let dir: Awaited<ReturnType<typeof createTemporaryDirectory>>
let stack: Stack
const lines: string[] = []
const origins = ['https://app.example', 'http://localhost:5173']
beforeAll(async () => {
  dir = await createTemporaryDirectory('dev-stack')
  const env = { HOT_RETENTION_SECONDS: '3', FAILPOINT_DIR: '/nowhere', CORS_ORIGINS: origins.join(', ') }
  const out = (line: string) => void lines.push(line)
  stack = await start(dir.path, { replicas: { gateway: 2 }, env, out, quiet: false })
})
afterAll(async () => {
  await stack.stop()
  await dir[Symbol.asyncDispose]()
})

describe('a running stack', () => {
  test('stack.json lists every process, and only its owner can read it', async () => {
    const file = await fromDisk(dir.path)
    expect(file).toEqual(stack.describe())
    expect(await readStackFile(dir.path)).toEqual(file)
    expect((await stat(join(dir.path, 'stack.json'))).mode & 0o777).toBe(0o600)
    expect(file.processes.map(({ name, replica }) => `${name}-${replica}`)).toEqual(
      'gateway-0 gateway-1 auth-0 files-0 sync-0 eviction-0 webhooks-0 postgres-0 nats-0 s3-0'.split(' '),
    )
    expect(file.gatewayUrls).toEqual([processOf(file, 'gateway').url, processOf(file, 'gateway', 1).url])
    for (const { pid } of file.processes) expect(await processIdentity(pid)).toBeDefined()
    const [first] = await query(file.postgresUrl, `select id::text from auth.account where subject = 'first-user'`)
    expect(file.firstUserId).toBe(first)
  })

  test('only the owner can read secrets, and each service receives only its own', async () => {
    for (const name of ['secrets.json', 'logs/gateway-0.log']) {
      expect((await stat(join(dir.path, name))).mode & 0o077, name).toBe(0)
    }
    const file = stack.describe()
    const [gateway, files, auth] = await Promise.all(
      ['gateway', 'files', 'auth'].map((name) => environmentOf(processOf(file, name))),
    )
    expect(JSON.parse(gateway?.IDENTITY_TOKEN_PRIVATE_KEY as string)).toMatchObject({ crv: 'Ed25519' })
    expect(gateway).not.toHaveProperty('DATABASE_URL')
    expect(JSON.parse(auth?.IDENTITY_TOKEN_PUBLIC_KEYS as string).keys[0]).not.toHaveProperty('d')
    expect(auth).not.toHaveProperty('AWS_SECRET_ACCESS_KEY')
    expect(files).not.toHaveProperty('IDENTITY_TOKEN_PRIVATE_KEY')
    expect(files).not.toHaveProperty('WEBHOOK_SECRET_KEYS')
  })

  test('each schema belongs to a role that cannot access other schemas', async () => {
    const file = stack.describe()
    const [files, auth] = await Promise.all(
      ['files', 'auth'].map(async (name) => (await environmentOf(processOf(file, name))).DATABASE_URL as string),
    )
    expect(await query(files as string, 'select current_user::text')).toEqual(['files'])
    expect(await query(auth as string, 'select count(*)::int from auth.account')).toEqual([1])
    await expect(query(files as string, 'select * from auth.account')).rejects.toThrow('permission denied')
  })

  test('settings of the stack reach the services and override the short development defaults', async () => {
    const environment = await environmentOf(processOf(stack.describe(), 'eviction'))
    expect(environment).toMatchObject({
      HOT_RETENTION_SECONDS: '3',
      FAILPOINT_DIR: '/nowhere',
      SETTLE_SECONDS: '5',
      SERVICE_ENV: 'development',
    })
    expect(environment).not.toHaveProperty('VITEST')
  })

  test('only pages of the origins that may call the API can use the bucket', async () => {
    const { endpoint, bucket } = stack.describe().s3
    const allowedOrigin = async (origin: string, method: string) => {
      const headers = { Origin: origin, 'Access-Control-Request-Method': method }
      const url = `${endpoint}/${bucket}/any`
      const asked = { ...headers, 'Access-Control-Request-Headers': 'content-type' }
      return (await fetch(url, { method: 'OPTIONS', headers: asked })).headers.get('access-control-allow-origin')
    }
    for (const origin of origins) expect(await allowedOrigin(origin, 'PUT')).toBe(origin)
    expect(await allowedOrigin('https://other.example', 'PUT')).toBeNull()
    expect(await allowedOrigin('https://app.example', 'DELETE')).toBeNull()
  })

  test('warnings of a service reach the terminal, and other lines only its log', async () => {
    await expect.poll(() => lines).toContain('gateway-0 warning: a warning')
    expect(lines.join('\n')).not.toContain('"level":"info"')
    expect(await readFile(join(dir.path, 'logs/gateway-0.log'), 'utf8')).toContain('"level":"info"')
  })

  test('a process killed with -9 restarts at the same address, with its new pid in stack.json', async () => {
    const before = stack.describe()
    for (const { pid } of before.processes) process.kill(pid, 'SIGKILL')
    const pidOf = ({ pid }: StackProcess) => pid
    const gone = before.processes.map(pidOf)
    const pids = async () => (await fromDisk(dir.path)).processes.map(pidOf)
    await expect.poll(async () => (await pids()).filter((pid) => gone.includes(pid))).toEqual([])

    const after = stack.describe()
    const withoutPids = (file: StackFile) => ({ ...file, processes: file.processes.map((one) => ({ ...one, pid: 0 })) })
    expect(withoutPids(after)).toEqual(withoutPids(before))
    for (const { adminUrl } of after.processes)
      if (adminUrl) expect((await fetch(`${adminUrl}/ready`)).status).toBe(200)
    expect(await query(after.postgresUrl, 'select count(*)::int from auth.account')).toEqual([1])
  })

  test('rejects a second stack on the same data, and the first one continues', async () => {
    await expect(start(dir.path)).rejects.toThrow(`A stack is already running on ${dir.path} (process ${process.pid}).`)
    expect(await readStackFile(dir.path)).toEqual(stack.describe())
  })
})

/** Each test continues with the state of the previous one, because a start is slow. */
describe('from one start to the next', () => {
  let before: StackFile

  test('a stop terminates every process and removes stack.json', async () => {
    before = stack.describe()
    await query(before.postgresUrl, 'create table kept as select 1 as at')
    await stack.stop()
    for (const { pid } of before.processes) expect(await processIdentity(pid)).toBeUndefined()
    await expect(access(join(dir.path, 'stack.json'))).rejects.toThrow('ENOENT')
    expect(await readStackFile(dir.path)).toBeUndefined()
  })

  test('the next start has the same data and secrets; a stack killed with -9 is not reported as running', async () => {
    const killed = await startFixture('stack-and-wait', [dir.path])
    const next = await fromDisk(dir.path)
    expect(await query(next.postgresUrl, 'select at from kept')).toEqual([1])
    expect([next.firstUserId, next.s3.secretAccessKey]).toEqual([before.firstUserId, before.s3.secretAccessKey])
    await query(next.postgresUrl, 'insert into kept values (2)')
    await killed.kill()
    expect(await readStackFile(dir.path)).toBeUndefined() // the file exists, but its stack does not run
    before = next
  })

  test('takes over a stack that was killed with -9: stops its processes and keeps its data', async () => {
    stack = await start(dir.path)
    for (const { pid } of before.processes) expect(await processIdentity(pid)).toBeUndefined()
    expect(await query(stack.describe().postgresUrl, 'select at from kept order by at')).toEqual([1, 2])
    await stack.stop()
  })

  test('a service that cannot start fails the start with its last output, and no process stays running', async () => {
    const broken = start(dir.path, { env: { ADMIN_PORT: 'no port' } })
    await expect(broken).rejects.toThrow(/-0 exited with code 1 before it was ready[\s\S]*ERR_SOCKET_BAD_PORT/)
    expect(await readdir(join(dir.path, 'pids'))).toEqual([])
  })

  test('a fresh start deletes all data of the stack, and no other files', async () => {
    await writeFile(join(dir.path, 'not-ours'), 'stays')
    stack = await start(dir.path, { fresh: true })
    const fresh = stack.describe()
    expect(fresh.processes).toHaveLength(9)
    await expect(query(fresh.postgresUrl, 'select at from kept')).rejects.toThrow('does not exist')
    expect(fresh.s3.secretAccessKey).not.toBe(before.s3.secretAccessKey)
    expect(await readdir(dir.path)).toContain('not-ours')
  })
})
