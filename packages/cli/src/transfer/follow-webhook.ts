import { ApiError, type Client, readWebhookFeed } from '@tideport/sdk'
import type { Output } from '../terminal/output.ts'
import { pause } from './pause.ts'

type Delivery = Awaited<ReturnType<typeof readWebhookFeed>>['deliveries'][number]

const WAIT_SECONDS = 20
const PAUSE_MAX_MS = 30_000
const HEARTBEAT_MS = 60_000

export interface Following {
  webhookId: string
  /** Null: from now on. */
  cursor: string | null
  /** How long the service may be away, in a row. */
  patienceMs: number
  /** Called with deliveries in their order; the next are asked for when it is done. */
  onDelivery: (delivery: Delivery) => Promise<void>
  /** Where to go on after a stop. */
  onCursor: (cursor: string) => Promise<void>
}

/**
 * Follows a webhook's deliveries until the signal aborts. The service is waited for when it is away, and that is told;
 * rejects when it stays away, and at once for what waiting does not mend. After a gap nothing is missing.
 */
export async function followWebhook(client: Client, following: Following, output: Output, signal: AbortSignal) {
  const { webhookId, patienceMs, onDelivery, onCursor } = following
  let cursor = following.cursor ?? undefined
  let lastAnswer = Date.now()
  let told = Date.now()
  let count = 0
  for (let failed = 0; ; ) {
    signal.throwIfAborted()
    // The first answer says where "now" is: it must not wait.
    const waitSeconds = cursor === undefined ? 0 : WAIT_SECONDS
    const answer = await readWebhookFeed(client, { webhookId, cursor, waitSeconds }, { signal }).catch(
      (error: unknown) => {
        signal.throwIfAborted()
        const isRefused = error instanceof ApiError && error.status < 500 && error.status !== 429
        if (isRefused || Date.now() - lastAnswer > patienceMs) throw error
        if (failed === 0) output.complaint(`${(error as Error).message}: trying again`)
        return null
      },
    )
    if (answer) {
      if (failed > 0) output.remark('The service is back')
      failed = 0
      lastAnswer = Date.now()
      for (const delivery of answer.deliveries) {
        await onDelivery(delivery)
        await onCursor(delivery.cursor)
        count++
      }
      if (answer.deliveries.length === 0 && answer.cursor !== cursor) await onCursor(answer.cursor)
      cursor = answer.cursor
    } else await pause(Math.min(PAUSE_MAX_MS, 500 * 2 ** ++failed), signal)
    if (Date.now() - told > HEARTBEAT_MS) {
      told = Date.now()
      output.remark(`${new Date().toISOString()} listening, ${count} so far`)
    }
  }
}
