import { createHmac, randomBytes } from 'node:crypto'
import type { FollowedDelivery } from '@tideport/sdk'
import { fetch } from '@tideport/sdk/node'
import { pause } from './bandwidth-limit.ts'

type Delivery = Pick<FollowedDelivery, 'eventId' | 'isTest' | 'body'>

/** Timeout for the receiver's response. */
const ANSWER_MS = 15_000
const PAUSE_MAX_MS = 10_000

/** A webhook secret for one run, because the service returns the real secret only once. */
export const makeSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

export function signedHeaders({ eventId, isTest, body }: Delivery, secret: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${eventId}.${timestamp}.${body}`).digest('base64')
  return {
    'content-type': 'application/json',
    'x-service-signature': createHmac('sha256', secret).update(body).digest('hex'),
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
    ...(isTest && { 'x-service-test': 'true' }),
  }
}

/** Retries while the receiver is unreachable, and returns its status. `onSilence` gets the first reason. */
export async function forwardEvent(
  delivery: Delivery,
  {
    url,
    secret,
    signal,
    onSilence,
  }: { url: string; secret: string; signal: AbortSignal; onSilence: (why: string) => void },
): Promise<number> {
  for (let tried = 0; ; tried++) {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: signedHeaders(delivery, secret),
        body: delivery.body,
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
      })
      await response.body?.cancel()
      return response.status
    } catch (error) {
      signal.throwIfAborted()
      const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
      if (tried === 0) onSilence(code ?? message)
      await pause(Math.min(PAUSE_MAX_MS, 250 * 2 ** tried), signal)
    }
  }
}
