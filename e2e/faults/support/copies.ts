import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '@tideport/testing/wait-for'
import { copiesOfBlob } from '../../support/database.ts'
import type { Confirmed, FaultAccount } from './account.ts'
import type { TestStack } from './processes.ts'

const READERS = 4

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
      const has = async ({ file }: Confirmed) => JSON.stringify(await statesOf(file.id)) === wanted
      const rest = confirmed.slice()
      const deadline = performance.now() + 400_000
      // Each asks again about one file that is late, and leaves the machine to those who copy.
      const ask = async () => {
        for (let next = rest.shift(); next; next = rest.shift()) {
          const late = next
          const timeoutMs = Math.max(0, deadline - performance.now())
          await waitFor(() => has(late), { what: `copies ${wanted}`, timeoutMs, everyMs: 1000 }).catch(
            async (cause) => {
              const { id } = late.file
              throw new Error(`${rest.length} more than ${id}: ${JSON.stringify(await statesOf(id))}`, { cause })
            },
          )
        }
      }
      await Promise.all(Array.from({ length: READERS }, ask))
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
