import { createHmac, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { verify, WebhookVerificationError } from '../../src/webhooks.ts'

const key = randomBytes(32)
const secret = `whsec_${key.toString('base64')}`
const body = JSON.stringify({ event: 'file.hot', timestamp: '2026-01-01T00:00:00.000Z', data: { fileName: 'Häfen' } })

/** Signs like a delivery (Standard Webhooks). */
function sign(text = body, { at = Date.now() / 1000, by = key, id = 'e-1' } = {}) {
  const timestamp = String(Math.floor(at))
  const signature = createHmac('sha256', by).update(`${id}.${timestamp}.${text}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

describe('a delivery', () => {
  it('is accepted if it is signed, as bytes or text, with every type of headers', async () => {
    const headers = sign()
    await expect(verify(Buffer.from(body), headers, secret)).resolves.toEqual(JSON.parse(body))
    await expect(verify(body, new Headers(headers), secret)).resolves.toMatchObject({ event: 'file.hot' })
    await expect(verify(body, { 'Webhook-Id': 'e-1', ...headers }, secret)).resolves.toMatchObject({
      event: 'file.hot',
    })
  })

  it.each(['\n', '\r\n', ' ', '\ufeff'])('is accepted with a secret with %j around it', async (blank) => {
    await expect(verify(body, sign(), blank + secret + blank)).resolves.toBeTruthy()
  })

  it('is accepted during a rotation, with either secret and with two signatures', async () => {
    const other = randomBytes(32)
    const headers = sign()
    const both = `${sign(body, { by: other })['webhook-signature']} ${headers['webhook-signature']}`
    await expect(verify(body, { ...headers, 'webhook-signature': both }, secret)).resolves.toBeTruthy()
    await expect(verify(body, headers, [`whsec_${other.toString('base64')}`, secret])).resolves.toBeTruthy()
  })

  it.each([
    ['another body', { text: `${body} ` }],
    ['another id', { headers: { 'webhook-id': 'e-2' } }],
    ['another time', { headers: { 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 1) } }],
    ['no time', { headers: { 'webhook-timestamp': 'NaN' } }],
    [
      'another kind of signature',
      { headers: { 'webhook-signature': sign()['webhook-signature'].replace('v1', 'v0') } },
    ],
    ['an empty signature', { headers: { 'webhook-signature': 'v1,' } }],
    ['no signature', { headers: { 'webhook-signature': undefined } }],
  ] as [string, { text?: string; headers?: Record<string, string | undefined> }][])(
    'with %s is rejected',
    async (_, { text = body, headers }) => {
      await expect(verify(text, { ...sign(), ...headers }, secret)).rejects.toThrow(WebhookVerificationError)
    },
  )

  it('is rejected if it is too old or in the future', async () => {
    for (const seconds of [-400, 400]) {
      const headers = sign(body, { at: Date.now() / 1000 + seconds })
      await expect(verify(body, headers, secret)).rejects.toThrow(WebhookVerificationError)
      await expect(verify(body, headers, secret, { toleranceSeconds: 500 })).resolves.toBeTruthy()
    }
  })

  it('is rejected if it is too old, even if the tolerance is NaN', async () => {
    const headers = sign(body, { at: Date.now() / 1000 - 400 })
    await expect(verify(body, headers, secret, { toleranceSeconds: Number.NaN })).rejects.toThrow(/too old/)
  })

  it('is compared with few signatures, however many are sent', async () => {
    const headers = sign()
    const wrong = sign(`${body} `)['webhook-signature']
    const many = (count: number) => ({
      ...headers,
      'webhook-signature': `${`${wrong} `.repeat(count)}${headers['webhook-signature']}`,
    })
    await expect(verify(body, many(3), secret)).resolves.toBeTruthy()
    await expect(verify(body, many(300), secret)).rejects.toThrow(WebhookVerificationError)
  })

  it('that a framework has parsed is rejected as a programming error', async () => {
    await expect(verify(JSON.parse(body), sign(), secret)).rejects.toThrow(TypeError)
    const begins = 'A webhook secret starts with whsec_'
    await expect(verify(body, sign(), 'secret')).rejects.toThrow(begins)
    await expect(verify(body, sign(), process.env.TIDEPORT_NO_SUCH_SETTING as string)).rejects.toThrow(begins)
  })
})
