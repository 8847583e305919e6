import { createWebhook, deleteWebhook, followWebhook, type Heartbeat, upload } from '@tideport/sdk'
import { startReceiver } from '@tideport/testing/receiver'
import { expect, test } from 'vitest'
import { sdkAccount } from './support/sdk/sdk-account.ts'

test.concurrent('a webhook is followed by a cursor: what happened over a gap is told, once, and an outage is waited out', async () => {
  await using receiver = await startReceiver()
  const { again, client, vaultId } = await sdkAccount()
  const webhook = await createWebhook(client, { url: receiver.url, events: ['file.hot'] })
  const put = (name: string) => upload(client, new Blob([name]), { vaultId, name })
  const names: string[] = []
  let cursor: string | undefined

  /** Until so many deliveries came. */
  async function follow(count: number, from = client, onHeartbeat?: (heartbeat: Heartbeat) => void) {
    const stop = new AbortController()
    const options = { cursor, signal: stop.signal, onHeartbeat }
    for await (const delivery of followWebhook(from, webhook, options)) {
      cursor = delivery.cursor
      names.push(JSON.parse(delivery.body).data.fileName)
      if (names.length >= count) break
    }
  }

  // It says where "now" is before anything happens.
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  const first = follow(1, client, () => resolve())
  await listening
  await put('one')
  await first
  await put('two')
  await put('three')
  let failures = 0
  const flaky = again({
    fetch: async (url, init) => {
      if (url.includes('/feed') && failures++ < 2) throw new TypeError('fetch failed')
      return await fetch(url, init)
    },
  })
  const told: (string | undefined)[] = []
  await follow(3, flaky, ({ failure }) => void told.push(failure?.name))
  // What happens at nearly the same time comes in any order.
  expect([names[0], ...names.slice(1).toSorted()]).toEqual(['one', 'three', 'two'])
  expect(told.slice(0, 2)).toEqual(['NetworkError', 'NetworkError'])
  // Never silently dead: that it is gone is an error, not a pause.
  await deleteWebhook(client, { webhookId: webhook.id })
  await expect(follow(9)).rejects.toMatchObject({ code: 'not_found' })
})
