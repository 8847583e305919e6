import type { Client } from '../client/create-client.ts'
import { pause } from '../client/pause.ts'
import { FileFailedError } from '../errors/transfer-errors.ts'
import { readFile } from '../generated/calls.ts'
import type { FileRecord } from '../generated/shapes.ts'

export interface WaitOptions {
  signal?: AbortSignal | undefined
  /** Called after each change of the status. */
  onChange?: ((file: FileRecord) => void) | undefined
}

const order: readonly string[] = ['uploading', 'hot', 'synced', 'cold']

/**
 * Returns the record when the file has this status or a later one. Rejects with a `FileFailedError` if the file reaches
 * `error`, or with the signal's reason; for a deadline, use `AbortSignal.timeout(ms)`.
 */
export async function waitFor(
  client: Client,
  file: string | { id: string },
  status: FileRecord['status'],
  { signal, onChange }: WaitOptions = {},
): Promise<FileRecord> {
  // Otherwise every status would count as later.
  if (status !== 'error' && !order.includes(status)) throw new TypeError(`Unknown status ${status}`)
  const fileId = typeof file === 'string' ? file : file.id
  let last: FileRecord['status'] | undefined
  for (let everyMs = 250; ; everyMs = Math.min(5000, everyMs * 1.3)) {
    const now = await readFile(client, { fileId }, { signal })
    if (now.status !== last) onChange?.(now)
    last = now.status
    if (now.status === status) return now
    if (now.status === 'error') throw new FileFailedError(now)
    if (status !== 'error' && order.indexOf(now.status) >= order.indexOf(status)) return now
    await pause(everyMs * (0.75 + Math.random() / 2), signal)
  }
}
