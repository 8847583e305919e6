import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { signatureHeaders } from '../../src/secrets/signature.ts'
import { newWebhookSecret } from '../../src/secrets/webhook-secret.ts'

describe('signatureHeaders', () => {
  it('reproduces the vector published with Standard Webhooks', () => {
    const headers = signatureHeaders(
      { current: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', previous: [] },
      {
        messageId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        timestampSeconds: 1614265330,
        body: '{"test": 2432232314}',
      },
    )
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })

  it('signs each attempt with its time, while the spec header and the ID stay the same', () => {
    const secret = { current: newWebhookSecret(), previous: [] }
    const first = signatureHeaders(secret, { messageId: 'm', timestampSeconds: 1, body: '{}' })
    const second = signatureHeaders(secret, { messageId: 'm', timestampSeconds: 2, body: '{}' })
    expect(second['webhook-signature']).not.toBe(first['webhook-signature'])
    expect(second['x-service-signature']).toBe(first['x-service-signature'])
    expect(second['webhook-id']).toBe('m')
  })

  it('is accepted by the Standard Webhooks library with every valid secret and with no other', () => {
    const [oldest, old, current] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()]
    const content = { messageId: 'm', timestampSeconds: Math.floor(Date.now() / 1000), body: '{"a":1}' }
    const headers = signatureHeaders({ current, previous: [oldest, old] }, content)
    for (const secret of [current, old, oldest]) {
      expect(() => new Webhook(secret).verify(content.body, headers)).not.toThrow()
    }
    expect(() => new Webhook(newWebhookSecret()).verify(content.body, headers)).toThrow()
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(3)
  })
})
