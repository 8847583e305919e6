import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '@tideport/testing/wait-for'
import { copiesOfBlob, filesWithOtherCopies } from '../../support/database.ts'
import type { FaultAccount } from './account.ts'
import type { TestStack } from './processes.ts'

/** Where an account's files have their copies. */
export function watchCopies(stack: TestStack, { confirmed }: FaultAccount) {
  return {
    /** Waits until all files so far have these copies and no others. */
    async untilAllHave(states: Record<string, string>): Promise<void> {
      const fileIds = confirmed.map(({ file }) => file.id)
      let late: Record<string, unknown>[] = []
      const isDone = async () => {
        late = await filesWithOtherCopies(stack.describe(), fileIds, states)
        return late.length === 0
      }
      const what = `copies ${JSON.stringify(states)}`
      await waitFor(isDone, { what, timeoutMs: 400_000, everyMs: 500 }).catch((cause) => {
        throw new Error(`Others have ${JSON.stringify(late)}`, { cause })
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
