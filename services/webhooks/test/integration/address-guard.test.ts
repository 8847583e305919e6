import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type AddressGuard, createAddressGuard } from '@tideport/service-kit/outgoing/address-guard'
import type { Resolve } from '@tideport/service-kit/outgoing/guarded-connector'
import { describe, expect, it } from 'vitest'
import { createOutgoing, type Outgoing } from '../../src/outgoing/outgoing.ts'
import { newAccount, setup } from './setup.ts'

const nothingPrivate = createAddressGuard([])
const names =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

/** Listens on one port of both loopback addresses, and records connections and received data. */
async function startTrap() {
  const connections: Socket[] = []
  const received: string[] = []
  const servers = [createServer(), createServer()]
  for (const server of servers) {
    server.on('connection', (socket) => {
      connections.push(socket.on('error', () => {}))
      socket.on('data', (bytes) => {
        received.push(bytes.toString())
        socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
      })
    })
  }
  const [v4, v6] = servers as [(typeof servers)[0], (typeof servers)[0]]
  await once(v4.listen(0, '127.0.0.1'), 'listening')
  const { port } = v4.address() as AddressInfo
  const hasV6 = await once(v6.listen(port, '::1'), 'listening').then(
    () => true,
    () => false,
  )
  return {
    port,
    connections,
    received,
    async [Symbol.asyncDispose]() {
      for (const socket of connections) socket.destroy()
      v4.close()
      if (hasV6) v6.close()
    },
  }
}

function post(outgoing: Outgoing, url: string) {
  return outgoing.post({ accountId: 'one', url, headers: {}, body: '{}' })
}

async function postOnce(url: string, options: { allows?: AddressGuard; resolve?: Resolve } = {}) {
  await using outgoing = createOutgoing({ timeoutMs: 5000, allows: nothingPrivate, resolve: names(), ...options })
  return await post(outgoing, url)
}

/** All notations of a host that reach a loopback listener on some system or through an address translation. */
const loopbackHosts = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7F.0x0.0x0.0x1',
  '017700000001',
  '0177.0.0.1',
  '0177.0x0.0.01',
  '127.0.0.1%2e',
  '%31%32%37.0.0.1',
  '１２７.０.０.１',
  '127。0。0。1',
  '①②⑦.0.0.1',
  '127.255.255.254',
  '0',
  '0.0.0.0',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ｌｏｃａｌｈｏｓｔ',
  'any.localhost',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::0001]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:FFFF:7F00:0001]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::127.0.0.1]',
  '[2002:7f00:1::]',
]

describe('a non-public address literal', () => {
  it('gets 400 when a webhook is created or changed, in any notation', async () => {
    await using t = await setup({ allowedNetworks: [] })
    const account = newAccount()
    const hook = await t.webhook({ account, url: 'https://example.com/' })
    const refused = { status: 400, body: { code: 'validation_failed', details: { issues: [{ path: 'url' }] } } }
    for (const host of [...loopbackHosts, '10.0.0.1', '169.254.169.254', '[fd00:ec2::254]']) {
      const url = `http://${host}:8080/`
      const created = await t.call(account, 'POST', '/api/webhooks', { url, events: ['file.hot'] })
      expect(created, host).toMatchObject(refused)
      expect(await t.call(account, 'PATCH', hook.path, { url }), host).toMatchObject(refused)
    }
    expect((await t.call(account, 'GET', hook.path)).body.url).toBe('https://example.com/')
  })

  it('is accepted if its network is allowed', async () => {
    await using t = await setup({ isProduction: true, allowedNetworks: ['10.1.0.0/16'] })
    const create = (url: string) => t.call(newAccount(), 'POST', '/api/webhooks', { url, events: ['file.hot'] })
    expect((await create('https://10.1.2.3/')).status).toBe(201)
    expect((await create('https://[::ffff:10.1.2.3]/')).status).toBe(201)
    expect((await create('https://10.2.0.1/')).status).toBe(400)
    expect((await create('https://127.0.0.1/')).status).toBe(400)
  })

  it.each(loopbackHosts)('is never connected to: %s', async (host) => {
    await using trap = await startTrap()
    const answer = await postOnce(`http://${host}:${trap.port}/`)
    expect(answer).toMatchObject({ statusCode: 0, failure: 'blocked' })
    expect(trap.connections).toEqual([])
  })
})

describe('a name', () => {
  it.each([
    ['loopback', ['127.0.0.1']],
    ['IPv6 loopback', ['::1']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['an IPv4-compatible address', ['::127.0.0.1']],
    ['an allowed and a blocked address', ['93.184.216.34', '127.0.0.1']],
    ['a blocked and an allowed address', ['::1', '2606:4700::1111']],
    ['an address with a zone', ['fe80::1%lo']],
    ['an invalid address', ['localhost']],
  ])('that resolves to %s is not connected to', async (_, addresses) => {
    await using trap = await startTrap()
    const answer = await postOnce(`http://hook.example:${trap.port}/`, { resolve: names(...addresses) })
    expect(answer).toMatchObject({ statusCode: 0, failure: 'blocked' })
    expect(trap.connections).toEqual([])
  })

  it('is checked on every connection, even if it was allowed before', async () => {
    await using trap = await startTrap()
    const answers = ['127.0.0.1', '::1']
    const resolve: Resolve = async () => names(answers.shift() ?? '::1')('')
    const allows = createAddressGuard(['127.0.0.1/32'])
    await using outgoing = createOutgoing({ timeoutMs: 5000, allows, resolve })
    const url = `http://hook.example:${trap.port}/`
    expect(await post(outgoing, url)).toMatchObject({ statusCode: 200 })
    expect(await post(outgoing, url)).toMatchObject({ statusCode: 0, failure: 'blocked' })
    expect(trap.connections).toHaveLength(1)
  })

  it('is resolved once per connection, which uses the checked address', async () => {
    await using trap = await startTrap()
    let lookups = 0
    const resolve: Resolve = async () => names(lookups++ === 0 ? '127.0.0.1' : '::1')('')
    const allows = createAddressGuard(['127.0.0.1/32'])
    const answer = await postOnce(`http://hook.example:${trap.port}/`, { allows, resolve })
    expect(answer.statusCode).toBe(200)
    expect([lookups, trap.connections[0]?.localAddress]).toEqual([1, '127.0.0.1'])
  })

  it('without addresses cannot be resolved', async () => {
    const answer = await postOnce('http://hook.example/', { resolve: names() })
    expect(answer).toMatchObject({ statusCode: 0, error: 'The host name could not be resolved', failure: 'other' })
  })

  it('is looked up without its trailing dot', async () => {
    const asked: string[] = []
    const resolve: Resolve = async (hostname) => {
      asked.push(hostname)
      return []
    }
    await postOnce('http://hook.example./', { resolve })
    expect(asked).toEqual(['hook.example'])
  })
})

describe('a connection', () => {
  it('to a blocked address is closed before anything is sent', async () => {
    await using trap = await startTrap()
    const verdicts = [true, false]
    const answer = await postOnce(`http://127.0.0.1:${trap.port}/`, { allows: () => verdicts.shift() ?? false })
    expect(answer).toMatchObject({ statusCode: 0, failure: 'blocked' })
    expect([verdicts, trap.received]).toEqual([[], []])
  })

  it('that is blocked looks like a refused connection to the owner', async () => {
    await using trap = await startTrap()
    await using t = await setup({ resolve: names('10.0.0.1') })
    const blocked = await t.webhook({ url: `http://hook.example:${trap.port}/` })
    const refused = await t.webhook({ url: 'http://127.0.0.1:1/' })
    const [a, b] = [
      await t.call(blocked.account, 'POST', `${blocked.path}/test`),
      await t.call(refused.account, 'POST', `${refused.path}/test`),
    ]
    const outcome = { attempts: 1, statusCode: 0, success: false, error: 'The connection could not be established' }
    expect([a, b]).toMatchObject([{ status: 200, body: outcome }, { status: 200, body: outcome }]) // biome-ignore format: a pair
    expect(t.lines.join('')).toContain('"failure":"blocked"')
  })
})
