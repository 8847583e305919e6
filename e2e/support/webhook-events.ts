import type { Receiver } from '@tideport/testing/receiver'
import type { ApiClient } from './api-client.ts'
import type { CreatedWebhook, WebhookBody } from './resources.ts'

export async function createWebhook(client: ApiClient, receiver: Receiver, events: string[]): Promise<CreatedWebhook> {
  const { status, body, text } = await client.post<CreatedWebhook>('/api/webhooks', { url: receiver.url, events })
  if (status !== 201) throw new Error(`Creating a webhook returned ${status} ${text}`)
  return body
}

export const eventsOf = ({ requests }: Receiver): WebhookBody[] => requests.map(({ body }) => JSON.parse(String(body)))

/** Waits until each of these events has arrived, in any order. */
export async function untilEvents(receiver: Receiver, ...events: string[]): Promise<void> {
  await Promise.all(events.map((event) => untilEvent(receiver, event)))
}

/** Waits for the first event with this name. */
export async function untilEvent(receiver: Receiver, event: string): Promise<WebhookBody> {
  const what = `${event} at the receiver`
  const request = await receiver.waitFor(({ body }) => JSON.parse(String(body)).event === event, {
    what,
    timeoutMs: 150_000,
  })
  return JSON.parse(String(request.body))
}
