import { createAddressGuard, loopbackNetworks } from '@tideport/service-kit/outgoing/address-guard'
import { describe, expect, it } from 'vitest'
import { assertWebhookUrl } from '../../src/outgoing/webhook-url.ts'

const production = { isDevelopment: false, allows: createAddressGuard([]) }
const development = { isDevelopment: true, allows: createAddressGuard(loopbackNetworks) }
/** Like development, but without loopback, so that no URL is rejected only for its scheme or port. */
const publicOnly = { isDevelopment: true, allows: createAddressGuard([]) }
const refused = expect.objectContaining({ code: 'validation_failed' })

function check(url: string, rules = production) {
  return () => assertWebhookUrl(url, rules)
}

describe('assertWebhookUrl', () => {
  it.each([
    'https://example.com',
    'https://example.com:8443/hook?tenant=1',
    'https://example.com:8080/',
    'https://example.com:65535/',
    'https://example.com./',
    'https://xn--bcher-kva.example/ü',
    'HTTPS://EXAMPLE.COM/',
    'https://✪df.ws/123',
    'https://例子.测试',
    'https://foo.com/blah_blah_(wikipedia)_(again)?bar=baz&inga=42&quux',
    'https://93.184.216.34/',
    'https://[2606:4700::1111]/',
    'https://[::ffff:93.184.216.34]/',
  ])('takes %s', (url) => {
    expect(check(url)).not.toThrow()
  })

  it.each([
    'ftp://example.com',
    'example.com',
    'https://',
    'https://user:password@example.com',
    'https://:password@example.com',
    'https://example.com/#fragment',
    ' https://example.com',
    'https://exam\nple.com',
    'https://example.com/a b',
    'https://example.com/half\ud83d',
    'https://example.com:99999',
    `https://${'a.'.repeat(128)}`,
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/',
    'https://[fd00:ec2::254]/',
    'https://[64:ff9b::a9fe:a9fe]/',
  ])('rejects %j in every mode', (url) => {
    expect(check(url, production)).toThrow(refused)
    expect(check(url, development)).toThrow(refused)
  })

  it('accepts plain HTTP, any port, and loopback only in development', () => {
    for (const url of ['http://example.com', 'https://example.com:22/', 'https://127.0.0.1/', 'https://localhost/']) {
      expect(check(url, development), url).not.toThrow()
      expect(check(url, production), url).toThrow(refused)
    }
  })

  it.each([1, 22, 25, 53, 389, 445, 1023, 2375, 3306, 4222, 5432, 6379, 9200, 11211, 27017])(
    'rejects port %i',
    (port) => {
      expect(check(`https://example.com:${port}/`)).toThrow(refused)
    },
  )

  /** From felippe-regazio/ssrfcheck, tests/data (MIT). `address-guard.test.ts` covers hosts without other parts. */
  it.each([
    'http://localhoste@localhost',
    'http://localhoste\\ @localhost',
    'http://127.1.1.1:80@127.2.2.2:80/',
    'http://127.1.1.1:80:@@127.2.2.2:80/',
    'http://127.1.1.1:80#@127.2.2.2:80/',
    'http://0000::1:80/',
    'https:192.168.1.1:9000',
    'localhost:+11211aaa',
    'urllib2 : 1.1.1.1',
    '0://evil.com:80;http://google.com:80/',
    'file://\\/\\/etc/passwd',
    'https:// 127.0.0.1',
    'http://##/',
    '//①②⑦.0.0.1',
    "http://-.~_!$&'()*+,;=:%40:80%2f::::::@example.com",
  ])('rejects %j, which parsers interpret differently', (url) => {
    expect(check(url, publicOnly)).toThrow(refused)
  })
})
