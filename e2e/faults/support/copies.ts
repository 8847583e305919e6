import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '@tideport/testing/wait-for'
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
    untilEmpty: (network: string) =>
      waitFor(async () => (await blobsOn(stack, network)).length === 0, {
        what: `${network} to be empty`,
        timeoutMs: 150_000,
      }),
  }
}

/** Ids of what a network holds. */
async function blobsOn({ dataDir }: TestStack, network: string): Promise<string[]> {
  return (await readdir(join(dataDir, 'networks', network))).filter((name) => name.startsWith('baf'))
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
