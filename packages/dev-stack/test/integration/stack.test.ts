import { access, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasKubo } from '@tideport/testing/kubo'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { readStackFile, type StackFile, type StackProcess } from '../../src/data-directory/stack-file.ts'
import { processIdentity } from '../../src/processes/process-identity.ts'
import { type Stack, startStack } from '../../src/stack/start-stack.ts'
import { query } from '../query.ts'
import { startFixture } from '../start-fixture.ts'

vi.setConfig({ testTimeout: 180_000 }) // a start is a dozen processes, and the machine may be busy

const servicesDir = fileURLToPath(new URL('../fixtures/services', import.meta.url))
const start = (dataDir: string, options: Parameters<typeof startStack>[0] = {}) =>
  startStack({ dataDir, port: 0, servicesDir, durable: false, quiet: true, ...options })

async function environmentOf({ adminUrl }: StackProcess): Promise<Record<string, string>> {
  const response = await fetch(`${adminUrl}/environment`)
  return (await response.json()) as Record<string, string>
}

function processOf(stack: StackFile, name: string, replica = 0): StackProcess {
  const found = stack.processes.find((process) => process.name === name && process.replica === replica)
  if (found === undefined) throw new Error(`no ${name}-${replica} in stack.json`)
  return found
}

const fromDisk = async (dir: string): Promise<StackFile> => JSON.parse(await readFile(join(dir, 'stack.json'), 'utf8'))

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

test('a stack with several storage networks tells where each is, and has set each up', async () => {
  await using own = await createTemporaryDirectory('dev-stack')
  await using two = await start(own.path, { networks: ['disk-a', 'disk-b'] })
  const { networkDir, networkDirs } = two.describe()
  expect(networkDirs).toEqual({
    'disk-a': join(own.path, 'networks/disk-a'),
    'disk-b': join(own.path, 'networks/disk-b'),
  })
  expect(networkDir).toBe(networkDirs['disk-a'])
  for (const dir of Object.values(networkDirs)) await access(dir)
  const environment = await environmentOf(processOf(two.describe(), 'sync'))
  expect(environment).toMatchObject({ STORAGE_NETWORKS: 'disk-a,disk-b', NETWORK_DISK_B_DIR: networkDirs['disk-b'] })
})

test.skipIf(!hasKubo())(
  'a network called ipfs is a node of its own, which comes back with its copies when it dies',
  async () => {
    await using own = await createTemporaryDirectory('dev-stack')
    await using one = await start(own.path, { networks: ['ipfs'] })
    const node = processOf(one.describe(), 'ipfs')
    const environment = await environmentOf(processOf(one.describe(), 'sync'))
    expect(environment).toMatchObject({ STORAGE_NETWORKS: 'ipfs', NETWORK_IPFS_RPC_URLS: node.url })
    const call = async (command: string) => {
      const headers = { authorization: `Bearer ${environment.NETWORK_IPFS_RPC_TOKEN}` }
      return await (await fetch(`${node.url}/api/v0/files/${command}`, { method: 'POST', headers })).text()
    }
    await call('mkdir?arg=/kept')
    await call('flush?arg=/kept')
    process.kill(node.pid, 'SIGKILL')
    await expect.poll(() => processOf(one.describe(), 'ipfs').pid).not.toBe(node.pid)
    expect(await call('ls')).toContain('kept')
    await one.changeNetworks({ networks: ['ipfs', 'disk-a'] })
  },
)

test('a network called walrus-devnet is a Walrus of its own, which comes back with its blobs when it dies', async () => {
  await using own = await createTemporaryDirectory('dev-stack')
  await using one = await start(own.path, { networks: ['walrus-devnet'] })
  const node = processOf(one.describe(), 'walrus')
  const environment = await environmentOf(processOf(one.describe(), 'sync'))
  const settings = { STORAGE_NETWORKS: 'walrus-devnet', NETWORK_WALRUS_DEVNET_PUBLISHERS: node.url }
  expect(environment).toMatchObject(settings)
  process.kill(node.pid, 'SIGKILL')
  await expect.poll(() => processOf(one.describe(), 'walrus').pid).not.toBe(node.pid)
  expect(await (await fetch(`${node.url}/status`)).text()).toBe('OK')
  // By the marker that was stored before it died.
  await one.changeNetworks({ networks: ['walrus-devnet', 'disk-a'] })
})

test('a stack changes its storage networks while it runs, one process after the other, also one replica alone', async () => {
  await using own = await createTemporaryDirectory('dev-stack')
  await using changing = await start(own.path, { networks: ['disk-a'], replicas: { sync: 2 } })
  const environmentOfSync = (replica: number) => environmentOf(processOf(changing.describe(), 'sync', replica))
  const before = changing.describe()
  await changing.changeNetworks({ networks: ['disk-a', 'disk-b'], leaving: ['disk-a'], replicas: [1] })
  expect(await environmentOfSync(0)).toMatchObject({ STORAGE_NETWORKS: 'disk-a' })
  const changed = { STORAGE_NETWORKS: 'disk-a,disk-b', NETWORK_DISK_A_ROLE: 'leaving' }
  expect(await environmentOfSync(1)).toMatchObject(changed)

  await changing.changeNetworks({ networks: ['disk-b'] })
  for (const replica of [0, 1]) expect(await environmentOfSync(replica)).toMatchObject({ STORAGE_NETWORKS: 'disk-b' })
  expect((await fromDisk(own.path)).networkDirs).toEqual({ 'disk-b': join(own.path, 'networks/disk-b') })
  expect(processOf(changing.describe(), 'sync').adminUrl).toBe(processOf(before, 'sync').adminUrl)
  expect(processOf(changing.describe(), 'gateway')).toEqual(processOf(before, 'gateway'))

  process.kill(processOf(changing.describe(), 'sync').pid, 'SIGKILL')
  const isBack = async () => (await environmentOfSync(0).catch(() => null))?.STORAGE_NETWORKS
  await expect.poll(isBack).toBe('disk-b')
})

describe('a running stack', () => {
  test('stack.json names every process and is for its owner only', async () => {
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

  test('secrets are for the owner only, and each service gets just its own', async () => {
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

  test('each schema belongs to a role that sees no other', async () => {
    const file = stack.describe()
    const [files, auth] = await Promise.all(
      ['files', 'auth'].map(async (name) => (await environmentOf(processOf(file, name))).DATABASE_URL as string),
    )
    expect(await query(files as string, 'select current_user::text')).toEqual(['files'])
    expect(await query(auth as string, 'select count(*)::int from auth.account')).toEqual([1])
    await expect(query(files as string, 'select * from auth.account')).rejects.toThrow('permission denied')
  })

  test('settings given to the stack reach the services, over the defaults that make a life watchable', async () => {
    const environment = await environmentOf(processOf(stack.describe(), 'eviction'))
    expect(environment).toMatchObject({
      HOT_RETENTION_SECONDS: '3',
      FAILPOINT_DIR: '/nowhere',
      SETTLE_SECONDS: '5',
      SERVICE_ENV: 'development',
    })
    expect(environment).not.toHaveProperty('VITEST')
  })

  test('browsers of the origins that may call the API may use the bucket too, and no others', async () => {
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

  test('a warning of a service reaches the terminal, the rest its log', async () => {
    await expect.poll(() => lines).toContain('gateway-0 warning: a warning')
    expect(lines.join('\n')).not.toContain('"level":"info"')
    expect(await readFile(join(dir.path, 'logs/gateway-0.log'), 'utf8')).toContain('"level":"info"')
  })

  test('whatever is killed with -9 comes back at its address, under its new pid in stack.json', async () => {
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

  test('a second stack on the same data is refused, and the first one runs on', async () => {
    await expect(start(dir.path)).rejects.toThrow(`A stack already runs on ${dir.path} (process ${process.pid}).`)
    expect(await readStackFile(dir.path)).toEqual(stack.describe())
  })
})

/** Each goes on where the one before it ended, for a start is dear. */
describe('from one start to the next', () => {
  let before: StackFile

  test('a stop ends every process and removes stack.json', async () => {
    before = stack.describe()
    await query(before.postgresUrl, 'create table kept as select 1 as at')
    await stack.stop()
    for (const { pid } of before.processes) expect(await processIdentity(pid)).toBeUndefined()
    await expect(access(join(dir.path, 'stack.json'))).rejects.toThrow('ENOENT')
    expect(await readStackFile(dir.path)).toBeUndefined()
  })

  test('the next start has the same data and secrets; killed with -9, it is no stack any more', async () => {
    const killed = await startFixture('stack-and-wait', [dir.path])
    const next = await fromDisk(dir.path)
    expect(await query(next.postgresUrl, 'select at from kept')).toEqual([1])
    expect([next.firstUserId, next.s3.secretAccessKey]).toEqual([before.firstUserId, before.s3.secretAccessKey])
    await query(next.postgresUrl, 'insert into kept values (2)')
    await killed.kill()
    expect(await readStackFile(dir.path)).toBeUndefined() // the file is there, but tells of nothing that runs
    before = next
  })

  test('a stack that was killed with -9 is taken over: nothing of it runs on, its data is there', async () => {
    stack = await start(dir.path)
    for (const { pid } of before.processes) expect(await processIdentity(pid)).toBeUndefined()
    expect(await query(stack.describe().postgresUrl, 'select at from kept order by at')).toEqual([1, 2])
    await stack.stop()
  })

  test('a service that cannot start ends the start, with its last words and nothing left running', async () => {
    const broken = start(dir.path, { env: { ADMIN_PORT: 'no port' } })
    await expect(broken).rejects.toThrow(/-0 ended with code 1 before it was ready[\s\S]*ERR_SOCKET_BAD_PORT/)
    expect(await readdir(join(dir.path, 'pids'))).toEqual([])
  })

  test('a fresh start forgets all that a stack keeps, and nothing else', async () => {
    await writeFile(join(dir.path, 'not-ours'), 'stays')
    stack = await start(dir.path, { fresh: true })
    const fresh = stack.describe()
    expect(fresh.processes).toHaveLength(9)
    await expect(query(fresh.postgresUrl, 'select at from kept')).rejects.toThrow('does not exist')
    expect(fresh.s3.secretAccessKey).not.toBe(before.s3.secretAccessKey)
    expect(await readdir(dir.path)).toContain('not-ours')
  })
})
