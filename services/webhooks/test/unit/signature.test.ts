import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { signatureHeaders } from '../../src/secrets/signature.ts'
import { newWebhookSecret } from '../../src/secrets/webhook-secret.ts'

const only = (current: string) => ({ current, previous: [] })

const bodies = [
  '{"event":"file.hot"}',
  '{"data":{"fileName":"Zoë 日本 🎉 \\u0000"}}',
  '{"b":1,"a":2}',
  '{ "spaced" :  "as is" }\n',
]

describe('signatureHeaders', () => {
  it('reproduces the vector published with Standard Webhooks', () => {
    const headers = signatureHeaders(only('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'), {
      messageId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestampSeconds: 1614265330,
      body: '{"test": 2432232314}',
    })
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })

  it.each(bodies)('is accepted by the Standard Webhooks library, to the byte: %s', (body) => {
    const secret = newWebhookSecret()
    const timestampSeconds = Math.floor(Date.now() / 1000)
    const headers = signatureHeaders(only(secret), { messageId: crypto.randomUUID(), timestampSeconds, body })
    expect(() => new Webhook(secret).verify(body, headers)).not.toThrow()
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow()
    expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow()
  })

  it.each(bodies)('has the spec header: hex HMAC of the body bytes, keyed with the secret as given: %s', (body) => {
    const secret = newWebhookSecret()
    const headers = signatureHeaders(only(secret), { messageId: 'm', timestampSeconds: 1, body })
    const expected = createHmac('sha256', Buffer.from(secret)).update(Buffer.from(body)).digest('hex')
    expect(headers['x-service-signature']).toBe(expected)
    expect(headers['x-service-signature']).toMatch(/^[0-9a-f]{64}$/)
  })

  it('signs anew with each attempt’s time, while the spec header and the id stay', () => {
    const secret = newWebhookSecret()
    const first = signatureHeaders(only(secret), { messageId: 'm', timestampSeconds: 1, body: '{}' })
    const second = signatureHeaders(only(secret), { messageId: 'm', timestampSeconds: 2, body: '{}' })
    expect(second['webhook-signature']).not.toBe(first['webhook-signature'])
    expect(second['x-service-signature']).toBe(first['x-service-signature'])
    expect(second['webhook-id']).toBe('m')
  })
})

describe('signatureHeaders during a rotation', () => {
  const [oldest, old, current] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()]
  const content = { messageId: 'm', timestampSeconds: Math.floor(Date.now() / 1000), body: '{"a":1}' }
  const headers = signatureHeaders({ current, previous: [oldest, old] }, content)

  it('is accepted by the Standard Webhooks library with every valid secret, and with no other', () => {
    for (const secret of [current, old, oldest]) {
      expect(() => new Webhook(secret).verify(content.body, headers)).not.toThrow()
    }
    expect(() => new Webhook(newWebhookSecret()).verify(content.body, headers)).toThrow()
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(3)
  })

  it('keeps the spec header with the oldest secret that is still valid', () => {
    const expected = createHmac('sha256', oldest).update(content.body).digest('hex')
    expect(headers['x-service-signature']).toBe(expected)
  })
})

describe('newWebhookSecret', () => {
  it('is whsec_ and base64 of 32 bytes, never the same', () => {
    const secret = newWebhookSecret()
    expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32)
    expect(newWebhookSecret()).not.toBe(secret)
  })
})
