import { expect } from 'vitest'
import type { FileRecord, Vault } from '../../support/resources.ts'
import { startEventLedger } from './event-ledger.ts'
import { createPatientClient } from './patient-client.ts'
import type { TestStack } from './processes.ts'
import { untilAllCold } from './until-cold.ts'

const READERS = 8

/** What a test uploaded and got a 200 confirm for. */
export type Confirmed = { file: FileRecord; bytes: Buffer }

/** An account of a test's own with a public vault, a patient client and a receiver of all its events. */
export async function openAccount(stack: TestStack) {
  const client = createPatientClient(stack.describe().gatewayUrls)
  const vault = await client.ask<Vault>(201, 'POST', '/api/vaults', { name: 'Faults', visibility: 'public' })
  const ledger = await startEventLedger(client)
  const confirmed: Confirmed[] = []

  return {
    client,
    /** Every file so far. */
    confirmed: confirmed as readonly Confirmed[],
    async upload(bytes: Buffer): Promise<Confirmed> {
      const upload = { file: await client.upload(vault.id, bytes), bytes }
      confirmed.push(upload)
      return upload
    },
    /** Nothing was lost: all files become cold with their bytes by every route, every event is delivered once. */
    async expectConvergence(): Promise<void> {
      const fileIds = confirmed.map(({ file }) => file.id)
      const cold = await untilAllCold(client, vault.id, fileIds)
      const unread = cold.entries()
      async function readOn(): Promise<void> {
        for (const [index, file] of unread) {
          const bytes = confirmed[index]?.bytes
          expect(await client.read(file), file.id).toEqual({ byId: bytes, download: bytes, byBlob: bytes })
        }
      }
      await Promise.all(Array.from({ length: READERS }, readOn))
      await ledger.expectEveryEventOnce(fileIds)
    },
    [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose](),
  }
}

export type FaultAccount = Awaited<ReturnType<typeof openAccount>>
