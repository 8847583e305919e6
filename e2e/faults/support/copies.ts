import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '@tideport/testing/wait-for'
import { copiesOfBlob } from '../../support/database.ts'
import type { FaultAccount } from './account.ts'
import type { TestStack } from './processes.ts'

const READERS = 8

/** Where an account's files have their copies. */
export function watchCopies(stack: TestStack, { client, confirmed }: FaultAccount) {
  /** The states of a file's copies by their networks, but of those that were dropped. */
  async function statesOf(fileId: string): Promise<Record<string, string>> {
    type Copies = { copies: { network: string; state: string }[] }
    const { copies } = await client.ask<Copies>(200, 'GET', `/api/files/${fileId}/copies`)
    const kept = copies.filter(({ state }) => state !== 'dropped')
    return Object.fromEntries(kept.map(({ network, state }) => [network, state]).toSorted())
  }
  return {
    statesOf,
    /** Waits until all files so far have these copies and no others. */
    async untilAllHave(states: Record<string, string>): Promise<void> {
      const wanted = JSON.stringify(Object.fromEntries(Object.entries(states).toSorted()))
      let late: string[] = confirmed.map(({ file }) => file.id)
      const isDone = async () => {
        late = await filter(late, async (id) => JSON.stringify(await statesOf(id)) !== wanted)
        return late.length === 0
      }
      await waitFor(isDone, { what: `copies ${wanted}`, timeoutMs: 280_000, everyMs: 500 }).catch(async (cause) => {
        const [id = ''] = late
        throw new Error(`${late.length} late, as ${id}: ${JSON.stringify(await statesOf(id))}`, { cause })
      })
    },
    /** Waits until a network holds nothing any more. */
    async untilEmpty(network: string): Promise<void> {
      const isEmpty = async () => (await blobsOn(stack, network)).length === 0
      await waitFor(isEmpty, { what: `${network} to be empty`, timeoutMs: 150_000 }).catch(async (cause) => {
        throw new Error(`${network} holds ${await whatIsLeft(stack, network)}`, { cause })
      })
    },
  }
}

/** Ids of what a network holds. */
async function blobsOn({ dataDir }: TestStack, network: string): Promise<string[]> {
  return (await readdir(join(dataDir, 'networks', network))).filter((name) => name.startsWith('baf'))
}

/** What one of the blobs is made of, and what the database knows of it. */
async function whatIsLeft(stack: TestStack, network: string): Promise<string> {
  const [blob = '', ...others] = await blobsOn(stack, network)
  const files = await readdir(join(stack.dataDir, 'networks', network, blob))
  const rows = await copiesOfBlob(stack.describe(), network, blob)
  return `${others.length} more than ${blob}, in it ${JSON.stringify(files)}: ${JSON.stringify(rows)}`
}

/** Those for which `isMeant`, a few asked about at a time. */
async function filter<T>(items: readonly T[], isMeant: (item: T) => Promise<boolean>): Promise<T[]> {
  const [rest, meant] = [items.values(), new Set<T>()]
  const ask = async () => {
    for (const item of rest) if (await isMeant(item)) meant.add(item)
  }
  await Promise.all(Array.from({ length: READERS }, ask))
  return items.filter((item) => meant.has(item))
}
