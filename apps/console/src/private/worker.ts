import { DecryptionError } from '@tideport/sdk/crypto'
import { PasskeyError } from './ask-page.ts'
import type { Answer, Failure, Request } from './protocol.ts'
import { calls, StorageFailure } from './worker-calls.ts'

// Keys exist only in this worker. The page terminates it to lock all vaults.
const scope = self as unknown as Pick<Worker, 'postMessage' | 'addEventListener'>

scope.addEventListener('message', ({ data }) => void answer(data as Request))

async function answer({ number, method, input }: Request): Promise<void> {
  try {
    const output = await calls[method](input as never)
    const transfer = output instanceof Uint8Array ? [output.buffer] : []
    scope.postMessage({ number, output } satisfies Answer, transfer)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    scope.postMessage({ number, failure: failureOf(error), message } satisfies Answer)
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof DecryptionError) return 'decryption'
  if (error instanceof PasskeyError) return error.reason
  return error instanceof StorageFailure ? 'storage' : 'other'
}
