import { createHash } from 'node:crypto'
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
    /** Sees that every route leads to the bytes. */
    async expectReadable({ file, bytes }: Confirmed): Promise<void> {
      for (const [route, read] of Object.entries(await client.read(file))) {
        expect(digestOf(read), `bytes of ${file.id} ${route}`).toBe(digestOf(bytes))
      }
    },
    /** Nothing was lost: all files become cold with their bytes by every route, every event is delivered once. */
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
