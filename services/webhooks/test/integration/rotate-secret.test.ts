import { createHmac } from 'node:crypto'
import { rotateWebhookSecret } from '@tideport/contracts/public/webhooks'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { prune } from '../../src/delivery/prune-log.ts'
import { type Hook, type Setup, setup } from './setup.ts'

const t = setUpOnce(() => setup({ secretOverlapSeconds: 3600 }))

async function rotate(t: Setup, hook: Hook): Promise<string> {
  const { status, body } = await t.call(hook.account, 'POST', `${hook.path}/rotate-secret`)
  expect(status).toBe(200)
  rotateWebhookSecret.success.schema.parse(body)
  return body.secret
}

/** Sends a delivery and returns the secrets that verify it by each of the two schemes. */
async function verifiers(t: Setup, hook: Hook, secrets: Record<string, string>) {
  const before = t.receiver.requests.length
  await t.call(hook.account, 'POST', `${hook.path}/test`)
  const { body, headers } = t.receiver.requests[before] ?? {}
  const verifies = (secret: string) => {
    try {
      return Boolean(new Webhook(secret).verify(String(body), headers as Record<string, string>))
    } catch {
      return false
    }
  }
  const signs = (secret: string) =>
    createHmac('sha256', secret)
      .update(body ?? '')
      .digest('hex') === headers?.['x-service-signature']
  const named = (test: (secret: string) => boolean) => Object.keys(secrets).filter((name) => test(secrets[name] ?? ''))
  return { standard: named(verifies), spec: named(signs) }
}

/** Ends the overlap of the oldest previous secret. */
async function endOldestOverlap(t: Setup) {
  await t.database.sql(`update previous_secret set valid_until = now() - interval '1 ms'
    where valid_until = (select min(valid_until) from previous_secret where valid_until > now())`)
}

describe('POST /api/webhooks/:webhookId/rotate-secret', () => {
  it('signs with both secrets until the overlap ends, and only then changes the spec header', async () => {
    const hook = await t.webhook()
    const secrets = { old: hook.secret, new: await rotate(t, hook) }
    expect(await verifiers(t, hook, secrets)).toEqual({ standard: ['old', 'new'], spec: ['old'] })
    await endOldestOverlap(t)
    expect(await verifiers(t, hook, secrets)).toEqual({ standard: ['new'], spec: ['new'] })
  })

  it('can be repeated during the overlap: every secret signs for its complete time, and the spec header uses the oldest', async () => {
    const hook = await t.webhook()
    const secrets = { first: hook.secret, second: await rotate(t, hook), third: await rotate(t, hook) }
    expect(await verifiers(t, hook, secrets)).toEqual({ standard: ['first', 'second', 'third'], spec: ['first'] })
    await endOldestOverlap(t)
    expect(await verifiers(t, hook, secrets)).toEqual({ standard: ['second', 'third'], spec: ['second'] })
    await endOldestOverlap(t)
    expect(await verifiers(t, hook, secrets)).toEqual({ standard: ['third'], spec: ['third'] })
  })

  it('keeps the old secret for the configured overlap, or not at all without one', async () => {
    await using t = await setup({ secretOverlapSeconds: 0 })
    const hook = await t.webhook()
    const secrets = { old: hook.secret, new: await rotate(t, hook) }
    expect(await verifiers(t, hook, secrets)).toEqual({ standard: ['new'], spec: ['new'] })
  })

  it('returns the time until which the old secret is valid', async () => {
    const hook = await t.webhook()
    const { body } = await t.call(hook.account, 'POST', `${hook.path}/rotate-secret`)
    expect(Date.parse(body.previousSecretValidUntil) - Date.parse(body.updatedAt)).toBe(3_600_000)
  })

  it('keeps at most five previous secrets', async () => {
    const hook = await t.webhook()
    for (let index = 0; index < 5; index++) await rotate(t, hook)
    const refused = await t.call(hook.account, 'POST', `${hook.path}/rotate-secret`)
    expect(refused).toMatchObject({ status: 409, body: { code: 'state_conflict' } })
    await endOldestOverlap(t)
    await rotate(t, hook)
    expect(await t.database.sql('select from previous_secret')).toHaveLength(5)
  })

  it('returns the new secret only in its response and stores no plain text', async () => {
    const hook = await t.webhook()
    const secret = await rotate(t, hook)
    const { body } = await t.call(hook.account, 'GET', hook.path)
    const stored = await t.database.sql('select * from webhook, previous_secret')
    const everything = JSON.stringify([body, stored, t.lines])
    for (const text of [secret, hook.secret]) expect(everything).not.toContain(text.slice('whsec_'.length))
  })

  it('deletes secrets after their overlap', async () => {
    const hook = await t.webhook()
    await rotate(t, hook)
    await prune(t.db, 3600)
    expect(await t.database.sql('select from previous_secret')).toHaveLength(1)
    await endOldestOverlap(t)
    await prune(t.db, 3600)
    expect(await t.database.sql('select from previous_secret')).toEqual([])
  })
})
