import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual, promisify } from 'node:util'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createVault, newAccount } from '../support/account.ts'
import type { ApiClient } from '../support/api-client.ts'
import { startTestStack } from '../support/start-test-stack.ts'
import { uniqueBytes, untilStatus, uploadFile } from '../support/uploads.ts'
import { type FaultAccount, openAccount } from './support/account.ts'
import { watchCopies } from './support/copies.ts'
import { findProcess } from './support/processes.ts'

const run = promisify(execFile)
const DISK_BYTES = 64 * 1024 * 1024

/** A separate disk that can be frozen: every write to it blocks until it is thawed. */
interface FreezableDisk extends AsyncDisposable {
  freeze(): Promise<void>
  thaw(): Promise<void>
}

/** Why this machine cannot have such a disk, or null. The disk requires root, a loop device, ext4, and fsfreeze. */
async function whyNoFreezableDisk(dir: string): Promise<string | null> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux may mount and freeze a disk'
  try {
    await using disk = await mountFreezableDisk(dir)
    await disk.freeze()
    return null
  } catch (error) {
    return `no disk can be mounted and frozen here: ${error instanceof Error ? error.message : error}`
  }
}

/** Creates `dir` and mounts a small disk there. Disposing thaws and unmounts the disk. */
async function mountFreezableDisk(dir: string): Promise<FreezableDisk> {
  const image = `${dir}.image`
  await mkdir(dir, { recursive: true })
  {
    await using file = await open(image, 'wx')
    await file.truncate(DISK_BYTES)
  }
  let isFrozen = false
  const freeze = async (option: '--freeze' | '--unfreeze') => {
    await run('fsfreeze', [option, dir])
    isFrozen = option === '--freeze'
  }
  const thaw = async () => {
    if (isFrozen) await freeze('--unfreeze')
  }
  await run('mkfs.ext4', ['-q', '-m', '0', image])
  await run('mount', ['-o', 'loop', image, dir])
  await rm(`${dir}/lost+found`, { recursive: true })
  return {
    freeze: () => freeze('--freeze'),
    thaw,
    async [Symbol.asyncDispose]() {
      await thaw()
      await run('umount', ['--lazy', dir])
      await rm(image)
    },
  }
}

/** More than the concurrent disk operations of a process, and than Node's default number of threads. */
const FILES = 20
const DELETED = 8
/** A call that takes longer counts as unresponsive. Normal calls take a fraction of it. */
const CALL_MS = 10_000

const trial = await mkdtemp(join(tmpdir(), 'tideport-freeze-'))
const obstacle = await whyNoFreezableDisk(join(trial, 'disk'))
await rm(trial, { recursive: true, force: true })

const parts = new AsyncDisposableStack()
const disks = new Map<string, FreezableDisk>()
let stack: Awaited<ReturnType<typeof startTestStack>>
let account: FaultAccount
let copies: ReturnType<typeof watchCopies>
let client: ApiClient
let vaultId: string

beforeAll(async () => {
  if (obstacle) return
  const prepare = async (dataDir: string) => {
    const mounted = new AsyncDisposableStack()
    for (const name of ['disk-a', 'disk-b']) {
      disks.set(name, mounted.use(await mountFreezableDisk(join(dataDir, 'networks', name))))
    }
    return mounted
  }
  stack = parts.use(await startTestStack({ together: [], networks: ['disk-a', 'disk-b'], prepare }))
  account = parts.use(await openAccount(stack))
  copies = watchCopies(stack, account)
  client = newAccount(stack.describe().gatewayUrls[0] as string)
  vaultId = (await createVault(client, 'public')).id
})

afterAll(() => parts.disposeAsync())

const diskOf = (name: string) => disks.get(name) as FreezableDisk
const uploadMany = (count: number) => Promise.all(Array.from({ length: count }, () => account.upload(uniqueBytes())))

/** Frequent operations of clients, none of which may wait for a disk. */
async function useTheApi(client: ApiClient): Promise<void> {
  const paths = ['/api/account', '/api/vaults', '/api/files?limit=10', '/api/auth/api-keys']
  const statuses = await Promise.all(paths.map(async (path) => (await inTime(client.get(path))).status))
  expect(statuses).toEqual(paths.map(() => 200))
  await inTime(uploadFile(client, { vaultId, bytes: uniqueBytes() }))
}

/** Fails an unresponsive call, so that it does not pass as a slow one. */
const inTime = <T>(call: Promise<T>): Promise<T> =>
  Promise.race([call, delay(CALL_MS, null, { ref: false }).then(() => expect.unreachable('The call timed out'))])

type ReadyBody = { status: string; dependencies: Record<string, string>; faults?: Record<string, string> }

/** The state of a network on the admin port of a process. */
async function seenBy(service: 'files' | 'sync' | 'eviction', network: string) {
  const { adminUrl } = findProcess(stack, service)
  const ready = await fetch(`${adminUrl}/ready`)
  const { status, dependencies, faults } = (await ready.json()) as ReadyBody
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text()
  const name = `storage_network_${network}`
  const isOpen = metrics.includes(`tideport_circuit_open{needs="${network}",service="${service}"} 1`)
  return { status, state: dependencies[name], fault: faults?.[name], isOpen }
}

const untilSeen = (service: 'sync' | 'eviction', network: string, wanted: object) =>
  waitFor(async () => isDeepStrictEqual(await seenBy(service, network), wanted), {
    what: `${service} to say ${JSON.stringify(wanted)} of ${network}`,
  })

const hangs = { status: 'ready', state: 'down', fault: 'hanging' }

describe.skipIf(obstacle)(`an unresponsive disk${obstacle ? ` (${obstacle})` : ''}`, () => {
  test('does not affect other networks or the API, and its own deletions wait', async () => {
    const cold = await Promise.all(
      Array.from({ length: DELETED }, async () => {
        const { id } = await uploadFile(client, { vaultId, bytes: uniqueBytes() })
        return await untilStatus(client, id, 'cold')
      }),
    )
    await diskOf('disk-b').freeze()
    await uploadMany(FILES)
    for (const { id } of cold) expect((await client.call('DELETE', `/api/files/${id}?permanent=true`)).status).toBe(200)
    await copies.untilAllHave({ 'disk-a': 'proved', 'disk-b': 'planned' })
    await untilSeen('sync', 'disk-b', { ...hangs, isOpen: true })
    expect(await seenBy('sync', 'disk-a')).toEqual({ status: 'ready', state: 'up', fault: undefined, isOpen: false })
    await useTheApi(client)
  })

  test('does not affect clients when all disks are unresponsive: they upload, read, list, and delete', async () => {
    await diskOf('disk-a').freeze()
    await uploadMany(FILES)
    await useTheApi(client)
    for (const one of account.confirmed) await inTime(account.expectReadable(one))
    await untilSeen('sync', 'disk-a', { ...hangs, isOpen: true })
    await useTheApi(client)
  })

  test('catches up without a restart when it responds again', async () => {
    const { processes } = stack.describe()
    for (const disk of disks.values()) await disk.thaw()
    await account.expectConvergence()
    await copies.untilAllHave({ 'disk-a': 'proved', 'disk-b': 'proved' })
    expect(stack.describe().processes.map(({ pid }) => pid)).toEqual(processes.map(({ pid }) => pid))
  })
})
