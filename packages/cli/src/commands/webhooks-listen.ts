import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, type FollowedDelivery, followWebhook as follow, type Heartbeat } from '@tideport/sdk'
import { command } from '../grammar/command.ts'
import { absent } from '../local/absent.ts'
import { lockFile } from '../local/lock-file.ts'
import { replaceFile } from '../local/replace-file.ts'
import { connect } from '../profile/connect.ts'
import { stateFolder } from '../profile/directories.ts'
import { parseCount } from '../terminal/amounts.ts'
import { readSecret } from '../terminal/ask.ts'
import type { Output } from '../terminal/output.ts'
import { forwardEvent, makeSecret } from '../transfer/forward-event.ts'

export const webhooksListen = command({
  name: 'webhooks listen',
  summary: 'Print webhook deliveries as they happen, and forward them',
  description:
    'For receivers that the service cannot reach, such as this machine or a host behind a firewall. Without --from-now, a new\n' +
    'run continues where the last run stopped and misses no delivery. Forwarded deliveries are signed with a secret of this\n' +
    'run, or with one from stdin. While the receiver does not respond, the command retries.',
  arguments: { id: { summary: 'Webhook ID' } },
  options: {
    forwardTo: { type: 'string', value: 'URL', summary: 'URL that receives the deliveries' },
    fromNow: { type: 'boolean', summary: 'Skip the deliveries since the last run' },
    secretStdin: { type: 'boolean', summary: 'Read the signing secret from stdin' },
    patience: {
      type: 'string',
      value: 'MINUTES',
      summary: 'Minutes to retry while the service is unavailable (default: 60)',
    },
  },
  async run({ id: webhookId, forwardTo, fromNow, secretStdin, patience = '60' }, context) {
    const { environment, output, signal } = context
    if (forwardTo !== undefined && !(URL.canParse(forwardTo) && /^https?:$/.test(new URL(forwardTo).protocol)))
      throw new Error(`"${forwardTo}" is not an http or https URL`)
    const patienceMs = parseCount('patience', patience, 100_000) * 60_000
    const secret = secretStdin ? await readSecret(context, 'Secret', true, '') : makeSecret()
    const client = await connect(context)
    const name = createHash('sha256')
      .update(JSON.stringify([client.baseUrl, webhookId, forwardTo]))
      .digest('hex')
    const path = join(await stateFolder(environment, 'listening'), name.slice(0, 32))
    await using _lock = await lockFile(`${path}.lock`)
    const cursor = fromNow ? null : ((await readFile(path, 'utf8').catch(absent))?.trim() ?? null)
    if (forwardTo !== undefined && !secretStdin) output.remark(`Signed with ${secret}`)
    output.remark(cursor === null ? 'Listening for new deliveries' : 'Resuming after the last delivery')
    await followWebhook(
      client,
      {
        webhookId,
        cursor,
        patienceMs,
        onCursor: (at) => replaceFile(path, `${at}\n`),
        async onDelivery(delivery) {
          const { event, eventId, createdAt, body } = delivery
          const onSilence = (why: string) => output.complaint(`${forwardTo} does not respond (${why}). Retrying…`)
          const status = forwardTo && (await forwardEvent(delivery, { url: forwardTo, secret, signal, onSilence }))
          const told = { event, eventId, createdAt, ...(status && { status }), body: JSON.parse(body) }
          await output.result(told, `${createdAt}  ${event}  ${eventId}${status ? `  ${status}` : ''}`)
        },
      },
      output,
      signal,
    )
  },
})

const HEARTBEAT_MS = 60_000

interface Following {
  webhookId: string
  /** Null: only new deliveries. */
  cursor: string | null
  /** Longest outage of the service before the command fails. */
  patienceMs: number
  onDelivery: (delivery: FollowedDelivery) => Promise<void>
  onCursor: (cursor: string) => Promise<void>
}

/**
 * Follows the deliveries of a webhook until the signal aborts. Reports outages, their end, and a heartbeat once a
 * minute.
 */
async function followWebhook(client: Client, following: Following, output: Output, signal: AbortSignal) {
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
    if (failure && !isAway) output.complaint(`${failure.message}. Retrying…`)
    if (!failure && isAway) output.remark('The service is available again')
    isAway = failure !== null
    await keep(cursor)
    if (Date.now() - told < HEARTBEAT_MS) return
    told = Date.now()
    output.remark(
      `${new Date().toISOString()} ${isAway ? 'waiting for the service' : 'listening'}, deliveries so far: ${count}`,
    )
  }
  for await (const delivery of follow(client, webhookId, { cursor: kept, patienceMs, onHeartbeat, signal })) {
    await onDelivery(delivery)
    await keep(delivery.cursor)
    count++
  }
}
