import { describe, expect, it } from 'vitest'
import { assertWebhookUrl } from '../../src/webhook-url.ts'

const production = { allowHttp: false }
const development = { allowHttp: true }
const refused = expect.objectContaining({ code: 'validation_failed' })

function check(url: string, rules = production) {
  return () => assertWebhookUrl(url, rules)
}

describe('assertWebhookUrl', () => {
  it.each([
    'https://example.com',
    'https://example.com:8443/hook?tenant=1',
    'https://xn--bcher-kva.example/ü',
    'HTTPS://EXAMPLE.COM/',
  ])('takes %s', (url) => {
    expect(check(url)).not.toThrow()
  })

  it.each([
    'ftp://example.com',
    'javascript:alert(1)',
    'file:///etc/passwd',
    '/relative',
    'example.com',
    'https://',
    'https://user@example.com',
    'https://user:password@example.com',
    'https://:password@example.com',
    'https://example.com/#fragment',
    ' https://example.com',
    'https://exam\nple.com',
    'https://example.com/a b',
    'https://example.com:99999',
  ])('refuses %j in every mode', (url) => {
    expect(check(url, production)).toThrow(refused)
    expect(check(url, development)).toThrow(refused)
  })

  it('takes plain http in development only', () => {
    expect(check('http://example.com', development)).not.toThrow()
    expect(check('http://example.com', production)).toThrow(refused)
  })
})
