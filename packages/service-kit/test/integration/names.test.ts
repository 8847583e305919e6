import { type DnsAnswer, holdUnansweredPort, startDnsServer } from '@tideport/testing/dns-server'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { createDnsResolver, lookingUpFor } from '../../src/outgoing/dns-resolver.ts'

/** A resolver whose DNS server has these names, and responds with `rest` to all other names. */
async function setupNames(zone: Record<string, DnsAnswer>, rest: DnsAnswer = 'nxdomain') {
  const server = await startDnsServer(({ name, type }) => (type === 'NS' ? [] : (zone[name] ?? rest)))
  const outcomes: string[] = []
  const names = createDnsResolver({
    servers: [server.address],
    hosts: new Map([['written.down', [{ address: '10.1.2.3', family: 4 }]]]),
    onOutcome: (outcome) => outcomes.push(outcome),
  })
  const addresses = async (name: string) => (await names.resolve(name)).map(({ address }) => address)
  const code = (name: string) =>
    names.resolve(name).then(
      () => 'found',
      (error) => error.code,
    )
  return { server, names, outcomes, addresses, code, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

describe('a name', () => {
  it('has the addresses of both families, also through a CNAME', async () => {
    const both = ['192.0.2.1', '192.0.2.2', '2001:db8::1']
    await using t = await setupNames({ both, 'www.both': { cname: 'both', addresses: both }, six: ['2001:db8::6'] })
    expect(await t.addresses('both')).toEqual(both)
    expect(await t.addresses('www.both')).toEqual(both)
    expect(await t.addresses('six')).toEqual(['2001:db8::6'])
  })

  it('that does not exist, has no addresses, or is invalid is the receiver’s fault', async () => {
    await using t = await setupNames({ empty: [] })
    for (const name of ['missing', 'empty', `${'a'.repeat(64)}.example`]) expect(await t.code(name)).toBe('ENOTFOUND')
    expect(t.names.isDown()).toBe(false)
  })

  it('of loopback or in the hosts file is not looked up', async () => {
    await using t = await setupNames({})
    expect(await t.addresses('localhost')).toEqual(['127.0.0.1', '::1'])
    expect(await t.addresses('any.localhost')).toEqual(['127.0.0.1', '::1'])
    expect(await t.addresses('Written.Down')).toEqual(['10.1.2.3'])
    expect(t.server.questions).toEqual([])
  })

  it('is looked up once for concurrent and immediately following callers, also if the lookup fails', async () => {
    await using t = await setupNames({ one: ['192.0.2.1'] })
    await Promise.all(Array.from({ length: 50 }, () => t.addresses('one')))
    await t.addresses('ONE')
    for (let index = 0; index < 3; index++) await t.code('missing')
    expect(t.server.questions.map(({ name, type }) => `${name} ${type}`).toSorted()).toEqual([
      'missing A',
      'missing AAAA',
      'one A',
      'one AAAA',
    ])
    expect(t.outcomes.toSorted()).toEqual(['found', 'none'])
  })

  it('has the addresses of one family if the lookup of the other gets no response', async () => {
    await using t = await setupNames({})
    t.server.respondWith(({ type }) => (type === 'A' ? ['192.0.2.1'] : 'silent'))
    expect(await t.addresses('half')).toEqual(['192.0.2.1'])
  })
})

describe('a failed lookup', () => {
  it('is the receiver’s fault if the servers of the name fail while the resolver responds for other names', async () => {
    await using t = await setupNames({ dead: 'silent', broken: 'servfail' })
    expect(await Promise.all([t.code('dead'), t.code('broken')])).toEqual(['NAME_SILENT', 'ENOTFOUND'])
    expect(t.names.isDown()).toBe(false)
    expect(t.outcomes.toSorted()).toEqual(['failed', 'silent'])
  })

  it.each(['silent', 'servfail', 'refused'] as const)('is our fault if every response is: %s', async (answer) => {
    await using t = await setupNames({})
    t.server.respondWith(() => answer)
    expect(await t.code('any')).toBe('NAME_NOT_LOOKED_UP')
    expect(t.names.isDown()).toBe(true)
    t.server.respondWith(({ type }) => (type === 'NS' ? [] : ['192.0.2.1']))
    await waitFor(async () => (await t.code('any')) === 'found')
    expect(t.names.isDown()).toBe(false)
  })

  it('is our fault if no resolver listens at the address', async () => {
    await using nobody = await holdUnansweredPort()
    const names = createDnsResolver({ servers: [nobody.address], hosts: new Map(), onOutcome: () => {} })
    await expect(names.resolve('any')).rejects.toMatchObject({ code: 'NAME_NOT_LOOKED_UP' })
  })

  it('is our fault if an account has too many lookups, and other accounts continue', async () => {
    await using t = await setupNames({ healthy: ['192.0.2.1'] }, 'silent')
    const greedy = lookingUpFor.run('greedy', () => Array.from({ length: 100 }, (_, index) => t.code(`dead-${index}`)))
    expect(await lookingUpFor.run('other', () => t.addresses('healthy'))).toEqual(['192.0.2.1'])
    expect(t.names.waiting()).toBe(20)
    const codes = await Promise.all(greedy)
    expect(codes.filter((code) => code === 'NAME_NOT_LOOKED_UP')).toHaveLength(80)
    expect(codes.filter((code) => code === 'NAME_SILENT')).toHaveLength(20)
    expect(t.names.waiting()).toBe(0)
  })
})
