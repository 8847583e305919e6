import { createHmac } from 'node:crypto'
import { webhookPayload } from '@tideport/contracts/public/webhook-payload'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { type Account, fileEvent, type Hook, type Setup, setup } from './setup.ts'

const t = setUpOnce(() => setup({ replicas: 1 }))

/** The webhook's only delivery with its log, after its last attempt. */
async function finished(t: Setup, { account, path }: { account: Account; path: string }) {
  const { id } = await waitFor(async () => {
    const { body } = await t.call(account, 'GET', `${path}/deliveries`)
    const [delivery] = body.deliveries
    return delivery?.nextAttemptAt === null && (delivery.durationMs !== null || delivery.error) && delivery
  })
  return (await t.call(account, 'GET', `${path}/deliveries/${id}`)).body
}

async function sendOne(t: Setup, hook: Hook) {
  const event = fileEvent(hook.account)
  await t.receive(event)
  return event
}

describe('a delivery', () => {
  it('is a POST of the payload, signed over the exact bytes by the spec and by Standard Webhooks', async () => {
    const hook = await t.webhook()
    const event = fileEvent(hook.account)
    Object.assign(event.payload.data, { fileName: 'Zoë "日本" \u2028 🎉 \\.txt' })
    await t.receive(event)
    const request = await t.receiver.waitFor(() => true)
    expect(request.method).toBe('POST')
    expect(request.headers['content-type']).toBe('application/json')
    expect(webhookPayload.strict().parse(JSON.parse(request.body.toString()))).toEqual(event.payload)
    const expected = createHmac('sha256', hook.secret).update(request.body).digest('hex')
    expect(request.headers['x-service-signature']).toBe(expected)
    const headers = request.headers as Record<string, string>
    expect(() => new Webhook(hook.secret).verify(request.body.toString(), headers)).not.toThrow()
    expect(request.headers['webhook-id']).toBe(event.eventId)
    expect(request.headers['user-agent']).toMatch(/^Tideport-Webhooks\//)
    expect('x-service-test' in request.headers).toBe(false)
    const delivery = await finished(t, hook)
    expect(delivery.id).toBe(request.headers['x-service-delivery-id'])
    expect(delivery).toMatchObject({ event: 'file.hot', eventId: event.eventId, attempts: 1, statusCode: 200 })
    expect(delivery).toMatchObject({ success: true, error: null, nextAttemptAt: null })
  })

  it('is retried with the same ID and body until it succeeds, with every attempt in the log and no failure kept', async () => {
    const hook = await t.webhook()
    t.receiver.respondWith(['reset', { status: 500, body: 'first\0second' }, { status: 204 }])
    const { eventId } = await sendOne(t, hook)
    const delivery = await finished(t, hook)
    expect(delivery).toMatchObject({ attempts: 3, statusCode: 204, success: true, error: null })
    expect(delivery.attemptLog).toMatchObject([
      { attempt: 1, statusCode: 0, success: false, responseBody: null, error: expect.stringContaining('closed') },
      { attempt: 2, statusCode: 500, success: false, responseBody: 'first\uFFFDsecond', error: 'HTTP status 500' },
      { attempt: 3, statusCode: 204, success: true, responseBody: '', error: null },
    ])
    expect(new Set(t.receiver.requests.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([eventId]))
    expect(new Set(t.receiver.requests.map(({ body }) => body.toString())).size).toBe(1)
    expect((await t.call(hook.account, 'GET', hook.path)).body.consecutiveFailures).toBe(0)
    expect(await t.database.sql('select failing_since from webhook')).toEqual([{ failing_since: null }])
  })

  it('fails permanently after ten attempts', async () => {
    const hook = await t.webhook()
    t.receiver.respondWith({ status: 503 })
    await sendOne(t, hook)
    const delivery = await finished(t, hook)
    expect(delivery).toMatchObject({ attempts: 10, statusCode: 503, success: false, nextAttemptAt: null })
    expect(t.receiver.requests).toHaveLength(10)
    expect((await t.call(hook.account, 'GET', hook.path)).body.consecutiveFailures).toBe(10)
  })

  it('does not follow a redirect', async () => {
    const hook = await t.webhook({ url: `${t.receiver.url}first` })
    const elsewhere = { status: 307, headers: { location: `${t.receiver.url}second` } }
    t.receiver.respondWith(({ path }) => (path === '/first' ? elsewhere : { status: 200 }))
    await sendOne(t, hook)
    expect(await finished(t, hook)).toMatchObject({ statusCode: 307, success: false })
    expect(new Set(t.receiver.requests.map(({ path }) => path))).toEqual(new Set(['/first']))
  })

  it('goes to the new URL on the next attempt after an edit', async () => {
    const hook = await t.webhook({ url: `${t.receiver.url}old` })
    t.receiver.respondWith(({ path }) => ({ status: path === '/old' ? 500 : 200 }))
    await sendOne(t, hook)
    await t.receiver.waitFor(() => true)
    await t.call(hook.account, 'PATCH', hook.path, { url: `${t.receiver.url}new` })
    await t.receiver.waitFor(({ path }) => path === '/new')
    expect(await finished(t, hook)).toMatchObject({ success: true })
  })

  it('disables the webhook visibly after 410, until active: true', async () => {
    const hook = await t.webhook()
    t.receiver.respondWith({ status: 410 })
    await sendOne(t, hook)
    const { body } = await waitFor(async () => {
      const answer = await t.call(hook.account, 'GET', hook.path)
      return answer.body.active === false && answer
    })
    expect(body).toMatchObject({ disabledReason: 'The receiver returned 410 Gone', consecutiveFailures: 1 })
    expect(await finished(t, hook)).toMatchObject({ attempts: 1, statusCode: 410, success: false })
    const on = await t.call(hook.account, 'PATCH', hook.path, { active: true })
    expect(on.body).toMatchObject({ active: true, disabledReason: null, consecutiveFailures: 0 })
  })

  it('is counted, and logged in one line without URL, secret, or body', async () => {
    await using t = await setup({ replicas: 1 })
    const hook = await t.webhook({ url: `${t.receiver.url}?token=from-the-url` })
    t.receiver.respondWith({ status: 200, body: 'from-the-answer' })
    await sendOne(t, hook)
    await finished(t, hook)
    const line = await waitFor(() => t.lines.find((text) => text.includes('webhook attempt finished')))
    expect(JSON.parse(line)).toMatchObject({ webhookId: hook.id, attempt: 1, outcome: 'succeeded', statusCode: 200 })
    const everything = t.lines.join('')
    for (const hidden of ['from-the-url', 'from-the-answer', hook.secret, 'sample.txt']) {
      expect(everything).not.toContain(hidden)
    }
    expect(await t.renderMetrics()).toMatch(
      /tideport_webhook_delivery_duration_seconds_count\{[^}]*outcome="succeeded"[^}]*\} 1\n/,
    )
    expect(await t.renderMetrics()).toMatch(/tideport_webhook_oldest_pending_age_seconds\{[^}]*\} 0\n/)
  })

  it('fails while its secret cannot be decrypted, and is sent when it can', async () => {
    await using t = await setup({ replicas: 1, retryScale: 0.01 })
    const hook = await t.webhook()
    const [row] = await t.database.sql('select secret_encrypted from webhook')
    await t.database.sql(`update webhook set secret_encrypted = 'v1.unknown.AAAA'`)
    await sendOne(t, hook)
    await waitFor(async () => (await t.database.sql(`select from attempt where state = 'failed'`)).length > 0)
    await t.database.sql('update webhook set secret_encrypted = $1', [row?.secret_encrypted])
    expect(await finished(t, hook)).toMatchObject({ success: true })
  })
})
