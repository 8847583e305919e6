import { type Client, type FollowedDelivery, followWebhook as follow, type Heartbeat } from '@tideport/sdk'
import type { Output } from '../terminal/output.ts'

const HEARTBEAT_MS = 60_000

export interface Following {
  webhookId: string
  /** Null: from now on. */
  cursor: string | null
  /** How long the service may be away, in a row. */
  patienceMs: number
  onDelivery: (delivery: FollowedDelivery) => Promise<void>
  onCursor: (cursor: string) => Promise<void>
}

/** Follows a webhook's deliveries until the signal aborts, and tells when the service is away, back, and once a minute that it listens. */
export async function followWebhook(client: Client, following: Following, output: Output, signal: AbortSignal) {
  const { webhookId, patienceMs, onDelivery, onCursor } = following
  let kept = following.cursor ?? undefined
  let isAway = false
  let told = Date.now()
  let count = 0
  async function keep(cursor: string | undefined) {
    if (cursor === undefined || cursor === kept) return
    await onCursor(cursor)
    kept = cursor
  }
  async function onHeartbeat({ cursor, failure }: Heartbeat) {
    if (failure && !isAway) output.complaint(`${failure.message}: trying again`)
    if (!failure && isAway) output.remark('The service is back')
    isAway = failure !== null
    await keep(cursor)
    if (Date.now() - told < HEARTBEAT_MS) return
    told = Date.now()
    output.remark(`${new Date().toISOString()} ${isAway ? 'waiting for the service' : 'listening'}, ${count} so far`)
  }
  for await (const delivery of follow(client, webhookId, { cursor: kept, patienceMs, onHeartbeat, signal })) {
    await onDelivery(delivery)
    await keep(delivery.cursor)
    count++
  }
}
