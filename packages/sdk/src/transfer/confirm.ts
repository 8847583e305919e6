import type { Client } from '../client/create-client.ts'
import { backoffMs, pause } from '../client/pause.ts'
import { ConfirmInProgressError } from '../errors/generated/error-classes.ts'
import { confirmUpload } from '../generated/calls.ts'
import type { WrittenFile } from '../generated/shapes.ts'

const PATIENCE_MS = 15 * 60_000

export async function confirm(client: Client, fileId: string, signal: AbortSignal): Promise<WrittenFile> {
  const end = Date.now() + PATIENCE_MS
  for (let asked = 1; ; asked++) {
    try {
      return await confirmUpload(client, { fileId }, { signal })
    } catch (error) {
      if (!(error instanceof ConfirmInProgressError)) throw error
      const wait = backoffMs(asked, error.retryAfterSeconds)
      if (Date.now() + wait > end) throw error
      await pause(wait, signal)
    }
  }
}
