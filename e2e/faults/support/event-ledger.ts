import { startReceiver } from '@tideport/testing/receiver'
import { waitFor } from '@tideport/testing/wait-for'
import { expect } from 'vitest'
import type { CreatedWebhook, Delivery, WebhookBody } from '../../support/resources.ts'
import type { PatientClient } from './patient-client.ts'

const journey = ['file.hot', 'file.synced', 'file.cold']
const events = [...journey, 'file.error']
const patience = { timeoutMs: 150_000, everyMs: 500 }

/** A receiver that is told of every event of a client's account. */
export async function startEventLedger(client: PatientClient) {
  const receiver = await startReceiver()
  const { id: webhookId } = await client.ask<CreatedWebhook>(201, 'POST', '/api/webhooks', {
    url: receiver.url,
    events,
  })

  /** What was told, by `webhook-id`: at least once is promised, so repeats are one. */
  function told(): Map<string, string> {
    const byId = new Map<string, string>()
    for (const { headers, body } of receiver.requests) {
      const id = String(headers['webhook-id'])
      const known = byId.get(id)
      if (known !== undefined) expect(String(body), 'a repeat with another body').toBe(known)
      byId.set(id, String(body))
    }
    return byId
  }

  const pairs = () => [...told().values()].map((body) => describeEvent(JSON.parse(body))).toSorted()

  /** The service's own account: every delivery it has for this receiver, whether made or still to be made. */
  async function deliveries(): Promise<Delivery[]> {
    const all: Delivery[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path: string = `/api/webhooks/${webhookId}/deliveries?limit=100${cursor && `&cursor=${cursor}`}`
      const page = await client.ask<{ deliveries: Delivery[]; nextCursor: string | null }>(200, 'GET', path)
      all.push(...page.deliveries)
      cursor = page.nextCursor
    }
    return all
  }

  return {
    /** Waits until these files' three events were delivered, and sees that nothing else was, each under one id. */
    async expectEveryEventOnce(fileIds: string[]): Promise<void> {
      const expected = fileIds.flatMap((id) => journey.map((event) => `${event} ${id}`)).toSorted()
      const missing = () => {
        const arrived = new Set(pairs())
        return expected.filter((pair) => !arrived.has(pair))
      }
      await waitFor(() => missing().length === 0, { what: 'all events to arrive', ...patience }).catch((error) => {
        throw new Error(`Never arrived: ${missing().join(', ')}`, { cause: error })
      })
      await waitFor(async () => (await deliveries()).every(({ success }) => success), {
        what: 'all deliveries to be recorded',
        ...patience,
      })
      expect(pairs()).toEqual(expected)
      expect((await deliveries()).map(({ eventId }) => eventId).toSorted()).toEqual([...told().keys()].toSorted())
    },
    [Symbol.asyncDispose]: () => receiver.dispose(),
  }
}

export type EventLedger = Awaited<ReturnType<typeof startEventLedger>>

const describeEvent = ({ event, data }: WebhookBody) => `${event} ${data.fileId}`
