import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type EventType, webhookPayload } from '@tideport/contracts/public/webhook-payload'

export interface ReceivedEvent {
  eventId: string
  event: EventType
  fileId: string
}

/**
 * A receiver as a user would write one: it checks the signature over the exact bytes and answers 401 to a wrong one.
 */
export interface WebhookReceiver extends AsyncDisposable {
  url: string
  /** What arrived and verified. A repeated delivery of an event counts once. */
  events: ReceivedEvent[]
  /** Deliveries that did not verify. */
  refused: number
  /** Known only once the webhook was created. */
  secret: string
}

export async function startWebhookReceiver(onEvent: (event: ReceivedEvent) => void): Promise<WebhookReceiver> {
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    if (!isSigned(body, String(request.headers['x-service-signature']), receiver.secret)) {
      receiver.refused += 1
      response.writeHead(401).end()
      return
    }
    const { event, data } = webhookPayload.parse(JSON.parse(body.toString()))
    const received = { eventId: String(request.headers['webhook-id']), event, fileId: data.fileId }
    if (!receiver.events.some(({ eventId }) => eventId === received.eventId)) {
      receiver.events.push(received)
      onEvent(received)
    }
    response.writeHead(200).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tideport`,
    events: [],
    refused: 0,
    secret: '',
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}

function isSigned(body: Buffer, signature: string, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(body).digest('hex')
  return signature.length === expected.length && timingSafeEqual(Buffer.from(signature), Buffer.from(expected))
}
