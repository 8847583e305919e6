import { createHash } from 'node:crypto'
import { startReceiver } from '@tideport/testing/receiver'
import { waitFor } from '@tideport/testing/wait-for'
import { expect } from 'vitest'
import type { CreatedWebhook, Delivery, FileRecord, Vault, WebhookBody } from '../../support/resources.ts'
import { createPatientClient, type PatientClient } from './patient-client.ts'
import type { TestStack } from './processes.ts'

const READERS = 8

/** A file that a test uploaded and whose confirm returned 200. */
export type Confirmed = { file: FileRecord; bytes: Buffer }

/** A new account with a public vault, a patient client, and a receiver of all its events. */
export async function openAccount(stack: TestStack) {
  const client = createPatientClient(stack.describe().gatewayUrls)
  const vault = await client.ask<Vault>(201, 'POST', '/api/vaults', { name: 'Faults', visibility: 'public' })
  const ledger = await startEventLedger(client)
  const confirmed: Confirmed[] = []

  return {
    client,
    /** All files that were confirmed so far. */
    confirmed: confirmed as readonly Confirmed[],
    async upload(bytes: Buffer): Promise<Confirmed> {
      const upload = { file: await client.upload(vault.id, bytes), bytes }
      confirmed.push(upload)
      return upload
    },
    /** Fails unless every route returns these bytes. */
    async expectReadable({ file, bytes }: Confirmed): Promise<void> {
      for (const [route, read] of Object.entries(await client.read(file))) {
        expect(digestOf(read), `bytes of ${file.id} ${route}`).toBe(digestOf(bytes))
      }
    },
    /** Waits until all files are cold. Fails unless every route returns the bytes and each event is delivered once. */
    async expectConvergence(): Promise<void> {
      const fileIds = confirmed.map(({ file }) => file.id)
      expect(fileIds).not.toEqual([])
      const cold = await untilAllCold(client, vault.id, fileIds)
      const unread = cold.map((file, index) => ({ file, bytes: confirmed[index]?.bytes as Buffer })).values()
      const readOn = async () => {
        for (const next of unread) await this.expectReadable(next)
      }
      await Promise.all(Array.from({ length: READERS }, readOn))
      await ledger.expectEveryEventOnce(fileIds)
    },
    [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose](),
  }
}

export type FaultAccount = Awaited<ReturnType<typeof openAccount>>

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

// Longer than the claims of two killed workers, one of sync and one of eviction.
const patience = { timeoutMs: 150_000, everyMs: 500 }

/** Waits until these files of a vault are cold, and returns them. Throws as soon as a file of the vault is in error. */
async function untilAllCold(client: PatientClient, vaultId: string, fileIds: string[]): Promise<FileRecord[]> {
  let late: string[] = []
  async function look(): Promise<FileRecord[] | null> {
    const files = await listAll<FileRecord>(client, `/api/files?vaultId=${vaultId}&limit=100`, 'files')
    const byId = new Map(files.map((file) => [file.id, file]))
    const failed = [...byId.values()].filter(({ status }) => status === 'error')
    if (failed.length > 0) return failed
    late = fileIds.filter((id) => byId.get(id)?.status !== 'cold').map((id) => `${id} ${byId.get(id)?.status}`)
    return late.length > 0 ? null : fileIds.map((id) => byId.get(id) as FileRecord)
  }
  const files = await waitFor(look, { what: 'all files to be cold', ...patience }).catch((cause) => {
    throw new Error(`Not cold: ${late.join(', ')}`, { cause })
  })
  const failed = files.find(({ status }) => status === 'error')
  if (failed) throw new Error(`File ${failed.id} is in error: ${failed.errorCode}`)
  return files
}

/** All items of a list. */
async function listAll<Item>(client: PatientClient, path: string, plural: string): Promise<Item[]> {
  const all: Item[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Record<string, Item[]> & { nextCursor: string | null } = await client.ask(200, 'GET', path + (cursor && `&cursor=${cursor}`)) // biome-ignore format: one call
    all.push(...(page[plural] as Item[]))
    cursor = page.nextCursor
  }
  return all
}

const journey = ['file.hot', 'file.synced', 'file.cold']
const events = [...journey, 'file.error']

/** A receiver of all events of a client's account. */
async function startEventLedger(client: PatientClient) {
  const receiver = await startReceiver()
  const { id: webhookId } = await client.ask<CreatedWebhook>(201, 'POST', '/api/webhooks', {
    url: receiver.url,
    events,
  })

  /** The received bodies by `webhook-id`. Delivery is at least once, so repeats count as one. */
  function told(): Map<string, string> {
    const byId = new Map<string, string>()
    for (const { headers, body } of receiver.requests) {
      const id = String(headers['webhook-id'])
      const known = byId.get(id)
      if (known !== undefined) expect(String(body), 'a repeat with another body').toBe(known)
      byId.set(id, String(body))
    }
    return byId
  }

  const pairs = () => [...told().values()].map((body) => describeEvent(JSON.parse(body))).toSorted()

  /** The deliveries that the service records for this receiver, including pending ones. */
  const deliveries = () => listAll<Delivery>(client, `/api/webhooks/${webhookId}/deliveries?limit=100`, 'deliveries')

  return {
    /** Waits for the three events of each file. Fails if an event has two IDs or another event was delivered. */
    async expectEveryEventOnce(fileIds: string[]): Promise<void> {
      const expected = fileIds.flatMap((id) => journey.map((event) => `${event} ${id}`)).toSorted()
      const missing = () => {
        const arrived = new Set(pairs())
        return expected.filter((pair) => !arrived.has(pair))
      }
      await waitFor(() => missing().length === 0, { what: 'all events to arrive', ...patience }).catch((error) => {
        throw new Error(`Never arrived: ${missing().join(', ')}`, { cause: error })
      })
      await waitFor(async () => (await deliveries()).every(({ success }) => success), {
        what: 'all deliveries to be recorded',
        ...patience,
      })
      expect(pairs()).toEqual(expected)
      expect((await deliveries()).map(({ eventId }) => eventId).toSorted()).toEqual([...told().keys()].toSorted())
    },
    [Symbol.asyncDispose]: () => receiver.dispose(),
  }
}

const describeEvent = ({ event, data }: WebhookBody) => `${event} ${data.fileId}`
