import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '@tideport/testing/wait-for'
import { copiesOfBlob, filesWithOtherCopies } from '../../support/database.ts'
import type { FaultAccount } from './account.ts'
import type { TestStack } from './processes.ts'

/** Waits for states of the copies of an account's files. */
export function watchCopies(stack: TestStack, { confirmed }: FaultAccount) {
  return {
    /** Waits until all confirmed files have exactly these copies. */
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
    /** Waits until a network has no blobs. */
    async untilEmpty(network: string): Promise<void> {
      const isEmpty = async () => (await blobsOn(stack, network)).length === 0
      await waitFor(isEmpty, { what: `${network} to be empty`, timeoutMs: 150_000 }).catch(async (cause) => {
        throw new Error(`${network} holds ${await whatIsLeft(stack, network)}`, { cause })
      })
    },
  }
}

/** IDs of the blobs on a network. */
async function blobsOn({ dataDir }: TestStack, network: string): Promise<string[]> {
  return (await readdir(join(dataDir, 'networks', network))).filter((name) => name.startsWith('baf'))
}

/** For an error message: the parts of one remaining blob, its rows, and the number of other blobs. */
async function whatIsLeft(stack: TestStack, network: string): Promise<string> {
  const [blob = '', ...others] = await blobsOn(stack, network)
  const files = await readdir(join(stack.dataDir, 'networks', network, blob))
  const rows = await copiesOfBlob(stack.describe(), network, blob)
  return `${others.length} more than ${blob}, in it ${JSON.stringify(files)}: ${JSON.stringify(rows)}`
}
