import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@tideport/contracts/client/create-client'
import type { File } from '@tideport/contracts/public/files'

const POLL_MS = 100
const WAIT_MS = 10 * 60_000

const lifecycle = ['uploading', 'hot', 'synced', 'cold'] as const

/**
 * Waits until a file has come as far as `status`; it may be beyond by the time we look. Throws when the file ends in
 * error or nothing happens for too long.
 */
export async function awaitStatus(
  client: Client,
  fileId: string,
  status: (typeof lifecycle)[number],
  onWait: (file: File) => void,
): Promise<File> {
  for (const startedAt = performance.now(); ; await delay(POLL_MS)) {
    const file = await client.readFile({ params: { fileId } })
    if (file.status === 'error') throw new Error(`The file ended in error (${file.errorCode}): ${file.error}`)
    if (lifecycle.indexOf(file.status) >= lifecycle.indexOf(status)) return file
    const retention = Math.max(0, Date.parse(file.hotUntil ?? '') - Date.now()) || 0
    if (performance.now() - startedAt > WAIT_MS + retention) {
      throw new Error(`The file is still ${file.status} and not ${status} after ${WAIT_MS / 60_000} minutes`)
    }
    onWait(file)
  }
}
