import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { verify, type WebhookEvent, WebhookVerificationError } from '@tideport/sdk/webhooks'

export type News = Extract<WebhookEvent, { event: 'file.hot' | 'file.synced' | 'file.cold' | 'file.error' }>

/** An example receiver: verifies the signature over the exact bytes and returns 401 for a wrong signature. */
export interface WebhookReceiver extends AsyncDisposable {
  url: string
  /** Verified events. Repeated deliveries count once. */
  events: News[]
  refused: number
  /** Set when the webhook is created. */
  secret: string
}

export async function startWebhookReceiver(onEvent: (event: News) => void): Promise<WebhookReceiver> {
  const seen = new Set<string>()
  const server = createServer(async (request, response) => {
    const event = await verify(await buffer(request), request.headers, receiver.secret).catch(nullIfForged)
    if (!event) {
      receiver.refused += 1
      response.writeHead(401).end()
      return
    }
    const id = String(request.headers['webhook-id'])
    if (!seen.has(id)) {
      seen.add(id)
      receiver.events.push(event as News)
      onEvent(event as News)
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

function nullIfForged(error: unknown): null {
  if (error instanceof WebhookVerificationError) return null
  throw error
}
