import { createFailpoints, type Failpoints } from '@tideport/testing/failpoints'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FileRecord, Vault } from '../support/resources.ts'
import { startTestStack } from '../support/start-test-stack.ts'
import { uniqueBytes } from '../support/uploads.ts'
import { type EventLedger, startEventLedger } from './support/event-ledger.ts'
import { createPatientClient, type PatientClient } from './support/patient-client.ts'
import type { TestStack } from './support/processes.ts'
import { untilAllCold } from './support/until-cold.ts'

// Eviction first: what dies there is not held up a second time by a claim lost at sync.
const failpoints = [
  'evict.before-delete',
  'evict.after-delete',
  'sync.before-network-commit',
  'sync.after-network-commit',
  'confirm.before-complete',
  'confirm.after-complete',
  'confirm.before-commit',
  'relay.between',
  'deliver.before-send',
  'deliver.after-send',
]

const parts = new AsyncDisposableStack()
let armed: Failpoints
let client: PatientClient
let ledger: EventLedger
let vault: Vault
const interrupted = new Map<string, { file: FileRecord; bytes: Buffer }>()

beforeAll(async () => {
  armed = parts.use(await createFailpoints())
  const env = { FAILPOINT_DIR: armed.directory, WEBHOOK_TIMEOUT_SECONDS: '2' }
  const stack: TestStack = parts.use(await startTestStack({ env }))
  client = createPatientClient(stack.describe().gatewayUrls)
  ledger = parts.use(await startEventLedger(client))
  vault = await client.ask<Vault>(201, 'POST', '/api/vaults', { name: 'Kills', visibility: 'public' })
})

afterAll(() => parts.disposeAsync())

// One after the other, so that each process dies at its own failpoint and nobody at two of them.
test.each(failpoints)('a file is readable when a process is killed with -9 at %s', async (point) => {
  const bytes = uniqueBytes(200_000)
  await armed.kill(point)
  const file = await client.upload(vault.id, bytes)
  await armed.waitUntilHit(point, { timeoutMs: 60_000 })
  interrupted.set(point, { file, bytes })
  expect(await client.read(file)).toEqual({ byId: bytes, download: bytes })
})

test('afterwards every file becomes cold with its bytes', async () => {
  const cases = [...interrupted.values()]
  expect(cases).toHaveLength(failpoints.length)
  const cold = await untilAllCold(
    client,
    vault.id,
    cases.map(({ file }) => file.id),
  )
  for (const [index, file] of cold.entries()) {
    const bytes = cases[index]?.bytes
    expect(await client.read(file)).toEqual({ byId: bytes, download: bytes, byBlob: bytes })
  }
})

test('and every event is delivered once by webhook-id', async () => {
  await ledger.expectEveryEventOnce([...interrupted.values()].map(({ file }) => file.id))
})
