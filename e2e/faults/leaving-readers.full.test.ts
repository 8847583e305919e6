import { readFile } from 'node:fs/promises'
import { anyLeaving, leave } from '@tideport/testing/leaving-reader'
import { waitFor } from '@tideport/testing/wait-for'
import { withSeed } from '@tideport/testing/with-seed'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createVault, newAccount } from '../support/account.ts'
import type { ApiClient } from '../support/api-client.ts'
import { holdProcesses } from '../support/hold-processes.ts'
import { downloadBytes, downloadUrl, fetchBytes, publicBlobUrl, publicFileUrl } from '../support/reading.ts'
import type { FileRecord } from '../support/resources.ts'
import { startTestStack } from '../support/start-test-stack.ts'
import { uniqueBytes, untilStatus, uploadFile } from '../support/uploads.ts'
import { findProcess, type TestStack } from './support/processes.ts'

const READERS = 1000
const AT_ONCE = 25
const FILE_BYTES = 24 * 1024 * 1024
/** A leaf of a cold file or a socket buffer, plus the overhead of measuring. */
const BUFFER_BYTES = 1.5 * 1024 * 1024

const parts = new AsyncDisposableStack()
let stack: TestStack
let client: ApiClient
let cold: FileRecord
let hot: FileRecord

beforeAll(async () => {
  stack = parts.use(await startTestStack({ together: [], env: { STREAMS_PER_ADDRESS_MAX: '256' } }))
  client = newAccount(stack.describe().gatewayUrls[0] as string)
  const { id: vaultId } = await createVault(client, 'public')
  const bytes = uniqueBytes(FILE_BYTES)
  cold = await untilStatus(client, (await uploadFile(client, { vaultId, bytes })).id, 'cold')
  parts.use(await holdProcesses(stack.describe(), 'sync', 'eviction'))
  hot = await uploadFile(client, { vaultId, bytes })
})

afterAll(() => parts.disposeAsync())

const urls = async () => [
  await downloadUrl(client, cold), // used first, because it expires within seconds
  publicFileUrl(client, hot.id),
  publicFileUrl(client, cold.id),
  publicBlobUrl(client, cold.storageNetworkBlobId as string),
]

test('a thousand readers that disconnect after 0 to 50 ms crash no process, leak no slot, and leave no error unhandled', async () => {
  const before = pids()
  await withSeed(async (random) => {
    for (let left = 0; left < READERS; left += AT_ONCE) {
      const some = await urls()
      const leaving = Array.from({ length: AT_ONCE }, (_, index) => anyLeaving(some[index % 4] as string, random))
      await Promise.all(leaving.map(leave))
    }
  })
  expect(pids()).toEqual(before)
  const range = 'bytes=0-9'
  for (const url of (await urls()).slice(1)) expect((await fetchBytes(url, { range })).status).toBe(206)
  expect((await downloadBytes(client, cold.id, { range })).status).toBe(206)
  await waitFor(async () => (await figure('gateway', OPEN)) === 0 && (await figure('files', OPEN)) === 0)
  for (const name of ['gateway', 'files'] as const) expect(await figure(name, UNCAUGHT)).toBe(0)
})

test.runIf(process.platform === 'linux')(
  'a reader that disconnects before the first bytes costs at most one buffer',
  async () => {
    for (const url of [publicFileUrl(client, hot.id), publicFileUrl(client, cold.id)]) {
      const before = await bytesRead()
      const leaving = { url, method: 'GET', requests: 1, afterMs: 5, how: 'rst' } as const
      await Promise.all(Array.from({ length: 60 }, () => leave(leaving)))
      await waitFor(async () => (await figure('files', OPEN)) === 0)
      expect(((await bytesRead()) - before) / 60).toBeLessThan(BUFFER_BYTES)
    }
  },
)

const OPEN = 'tideport_open_streams'
const UNCAUGHT = 'tideport_uncaught_errors_total'

const pids = () => stack.describe().processes.map(({ name, pid }) => `${name} ${pid}`)

/** The sum of all series of a metric of this service. */
async function figure(service: 'gateway' | 'files', metric: string): Promise<number> {
  const text = await (await fetch(`${findProcess(stack, service).adminUrl}/metrics`)).text()
  const values = [...text.matchAll(new RegExp(`^${metric}{.*} (\\d+)$`, 'gm'))].map(([, value]) => Number(value))
  expect(values).not.toEqual([])
  return values.reduce((sum, value) => sum + value, 0)
}

/** Bytes that the files process has read so far from the disk and the store. */
async function bytesRead(): Promise<number> {
  const io = await readFile(`/proc/${findProcess(stack, 'files').pid}/io`, 'utf8')
  return Number(/^rchar: (\d+)$/m.exec(io)?.[1])
}
