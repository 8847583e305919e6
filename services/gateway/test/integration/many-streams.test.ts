import { once } from 'node:events'
import { get, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { request, startDoor, startGateway } from '../bundle.ts'

const publicFile = '/api/public/files/0198f2a0-0000-7000-8000-000000000001'
const smallFile = '/api/public/files/0198f2a0-0000-7000-8000-000000000002'
const privateFile = '/api/downloads/0198f2a0-0000-7000-8000-000000000001?expires=1&signature=x'
const REFUSED = 'tideport_refused_streams_total{.*address'
const REFUSED_TO_ALL = 'tideport_refused_streams_total{.*process'
const CUT = 'tideport_cut_streams_total{.*process'
const piece = Buffer.alloc(64 * 1024, 7)
const stack = new AsyncDisposableStack()
let door: Awaited<ReturnType<typeof startDoor>>
let gateway: (typeof door)['gateway']
/** With four slots, one for each address. */
let narrow: typeof gateway
/** Cuts clients that stall for a second. */
let impatient: typeof gateway
/** Streams in progress at the files service. */
const open = new Set<ServerResponse>()

beforeAll(async () => {
  const patient = { STREAM_STALL_SECONDS: '60' }
  door = stack.use(await startDoor({ ...patient, STREAMS_PER_ADDRESS_MAX: '4', STREAMS_MAX: '8' }))
  gateway = door.gateway
  const env = { ...door.env, FILES_URL: door.files.url }
  narrow = stack.use(await startGateway({ ...env, ...patient, STREAMS_PER_ADDRESS_MAX: '1', STREAMS_MAX: '4' }))
  impatient = stack.use(await startGateway({ ...env, STREAM_STALL_SECONDS: '1', STREAMS_PER_ADDRESS_MAX: '8' }))
  door.files.answerWith(answer)
})
afterAll(() => stack.disposeAsync())
afterEach(async () => {
  await waitFor(() => open.size === 0)
  for (const one of [gateway, narrow, impatient]) await waitFor(async () => (await openAt(one)) === 0)
})

function answer(request: IncomingMessage, response: ServerResponse): void {
  if (!/public|downloads/.test(request.url ?? '')) return void response.end('{}')
  if (request.url?.endsWith('2')) return void setTimeout(() => response.end('bytes'), 10)
  open.add(response)
  response.once('close', () => open.delete(response))
  const pump = () => {
    while (response.write(piece));
    response.once('drain', pump)
  }
  pump()
}

const openAt = (one: typeof gateway) => metric(one, 'tideport_open_streams')

/** A download from a given loopback address, whose response is not read. */
async function stall(url: string, localAddress = '127.0.0.1'): Promise<IncomingMessage> {
  const outgoing = get(url, { agent: false, localAddress })
  outgoing.on('error', () => {})
  const [response] = await once(outgoing, 'response')
  return (response as IncomingMessage).pause().on('error', () => {})
}

/**
 * Retries after a rejection: slot holders count as slow when their buffers are full, which may outlast a newcomer's
 * wait.
 */
function served(ask: () => Promise<IncomingMessage>): Promise<IncomingMessage> {
  return waitFor(async () => {
    const response = await ask()
    return response.statusCode === 200 && response
  })
}

async function expectRefused(response: IncomingMessage): Promise<void> {
  expect(response.statusCode).toBe(503)
  expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  expect(JSON.parse(Buffer.concat(chunks).toString())).toMatchObject({ code: 'unavailable' })
}

describe('downloads whose clients read nothing', () => {
  it('get 503 within about a second beyond the limit of an address, while other requests are served', async () => {
    const refusedBefore = await metric(gateway, REFUSED)
    const [first, ...stalled] = [
      await stall(gateway.url + publicFile),
      await stall(gateway.url + privateFile),
      await stall(gateway.url + privateFile),
      await stall(gateway.url + publicFile),
    ]
    await expectRefused(await stall(gateway.url + publicFile))
    await expectRefused(await stall(gateway.url + privateFile))
    expect((await request(`${gateway.url}/api/vaults`)).status).toBe(200)
    first?.destroy()
    await waitFor(async () => (await openAt(gateway)) === 3)
    stalled.push(await stall(gateway.url + publicFile))
    expect((await metric(gateway, REFUSED)) - refusedBefore).toBe(2)
    for (const response of stalled) response.destroy()
  })

  it('are cut off, with their requests to the service', async () => {
    const before = door.files.seen.length
    const stalled = await Promise.all([stall(impatient.url + publicFile), stall(impatient.url + privateFile)])
    expect(door.files.seen.length - before).toBe(2)
    await waitFor(() => open.size === 0)
    await waitFor(async () => (await openAt(impatient)) === 0)
    expect(await metric(impatient, 'tideport_stalled_answers_total')).toBe(2)
    for (const response of stalled) response.destroy()
  })
})

describe('more concurrent downloads than one address may have', () => {
  it('wait for each other if their clients read', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => request(impatient.url + smallFile)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(await openAt(impatient)).toBe(0)
  })

  it('take no slot of other addresses, however many wait', async () => {
    const first = await stall(narrow.url + publicFile)
    const refusedBefore = await metric(narrow, REFUSED)
    const crowd = Array.from({ length: 12 }, () => stall(narrow.url + publicFile))
    await waitFor(async () => (await metric(narrow, REFUSED)) - refusedBefore >= 8)
    const other = await stall(narrow.url + publicFile, '127.0.9.1')
    expect(other.statusCode).toBe(200)
    for (const refused of await Promise.all(crowd)) await expectRefused(refused)
    for (const response of [first, other]) response.destroy()
  })

  it('take at most half of all slots for one account, from however many addresses', async () => {
    const slow = Array.from({ length: 4 }, (_, index) =>
      upload(narrow.url, { account: 'slow', localAddress: `127.0.9.${index + 1}`, length: 2 }),
    )
    for (const outgoing of slow) outgoing.write('x')
    const refused: IncomingMessage[] = []
    for (const outgoing of slow) outgoing.once('response', (response) => refused.push(response))
    await waitFor(async () => (await openAt(narrow)) + refused.length === 4)
    const [other] = await once(
      upload(narrow.url, { account: 'first', localAddress: '127.0.9.9', length: 2 }).end('ab'),
      'response',
    )
    expect(other.statusCode).toBe(200)
    other.resume()
    expect(refused).toHaveLength(2)
    for (const response of refused) await expectRefused(response)
    for (const outgoing of slow) outgoing.destroy()
  })

  it('free the slots of clients that disconnect while waiting', async () => {
    const first = await stall(narrow.url + publicFile)
    const leaving = Array.from({ length: 5 }, () =>
      get(narrow.url + publicFile, { agent: false }).on('error', () => {}),
    )
    await Promise.all(leaving.map((outgoing) => once(outgoing, 'finish')))
    for (const outgoing of leaving) outgoing.destroy()
    first.destroy()
    await waitFor(async () => (await openAt(narrow)) === 0)
    const last = await stall(narrow.url + publicFile)
    expect(last.statusCode).toBe(200)
    last.destroy()
  })
})

describe('while slow clients hold all slots', () => {
  it('an anonymous newcomer gets the slot of a reader in the network with the most slots, and that download is cut off', async () => {
    const cutBefore = await metric(gateway, CUT)
    const addresses = ['127.0.7.1', '127.0.7.1', '127.0.7.2', '127.0.7.2', '127.0.8.1', '127.0.8.2']
    const readers = await Promise.all(addresses.map((address) => stall(gateway.url + publicFile, address)))
    expect(await openAt(gateway)).toBe(6)
    readers.push(await served(() => stall(gateway.url + publicFile, '127.0.9.1')))
    expect(readers.map(({ statusCode }) => statusCode)).toEqual(readers.map(() => 200))
    await waitFor(() => open.size === 6)
    const networks = Array.from(open, ({ req }) => req.headers['x-tideport-client-address']?.slice(0, 7))
    expect(networks.sort()).toEqual(['127.0.7', '127.0.7', '127.0.7', '127.0.8', '127.0.8', '127.0.9'])
    expect((await metric(gateway, CUT)) - cutBefore).toBe(1)
    const ends = await Promise.all(readers.slice(0, 4).map(readUntilCut))
    expect(ends.filter((end) => end === 'cut')).toHaveLength(1)
    for (const response of readers) response.destroy()
  })

  it('a newcomer gets the slot of a sender of the account with the most slots, and that upload gets 503', async () => {
    const answers = new Map<string, IncomingMessage>()
    const slow = ['one', 'one', 'one', 'one', 'two', 'two'].map((account, index) => {
      const outgoing = upload(gateway.url, { account, localAddress: `127.0.${index + 1}.1`, length: index + 100_000 })
      outgoing.write('x')
      return outgoing.once('response', (response) => answers.set(account, response))
    })
    await waitFor(async () => (await openAt(gateway)) === 6)
    await served(async () => {
      const last = upload(gateway.url, { account: 'three', localAddress: '127.0.9.1', length: 1 })
      const [response] = (await once(last.end('x'), 'response')) as [IncomingMessage]
      return response.resume()
    })
    await waitFor(() => answers.size === 1)
    await expectRefused(answers.get('one') as IncomingMessage)
    for (const outgoing of slow) outgoing.destroy()
  })

  it('anonymous clients leave a quarter of the slots to accounts', async () => {
    const refusedBefore = await metric(gateway, REFUSED_TO_ALL)
    const crowd = Array.from({ length: 12 }, (_, index) => stall(gateway.url + publicFile, `127.0.${index + 10}.1`))
    await waitFor(async () => (await openAt(gateway)) === 6)
    const outgoing = upload(gateway.url, { account: 'one', localAddress: '127.0.10.1', length: 1 })
    const [response] = (await once(outgoing.end('x'), 'response')) as [IncomingMessage]
    expect(response.resume().statusCode).toBe(200)
    const readers = await Promise.all(crowd)
    expect(readers.filter(({ statusCode }) => statusCode === 503)).toHaveLength(6)
    expect((await metric(gateway, REFUSED_TO_ALL)) - refusedBefore).toBe(6)
    for (const response of readers) response.destroy()
  })

  it('a reader that waits for the service keeps its slot', async () => {
    const cutBefore = await metric(gateway, CUT)
    const begin: (() => void)[] = []
    door.files.answerWith((_request, response) => void begin.push(() => response.end('bytes')))
    using restored = new DisposableStack()
    restored.defer(() => door.files.answerWith(answer))
    const waiting = Array.from({ length: 6 }, (_, index) =>
      stall(gateway.url + publicFile, `127.0.${7 + (index % 2)}.1`),
    )
    await waitFor(() => begin.length === 6)
    await expectRefused(await stall(gateway.url + publicFile, '127.0.9.1'))
    for (const end of begin) end()
    for (const response of await Promise.all(waiting)) {
      expect(response.statusCode).toBe(200)
      response.destroy()
    }
    expect(await metric(gateway, CUT)).toBe(cutBefore)
  })
})

/** Reads until the connection breaks, or more has arrived than all buffers hold. */
async function readUntilCut(response: IncomingMessage): Promise<'cut' | 'continues'> {
  let bytes = 0
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length
      if (bytes > 64 * 1024 * 1024) return 'continues'
    }
  } catch {
    expect(response.complete).toBe(false)
  }
  return 'cut'
}

function upload(
  url: string,
  { account, localAddress, length }: { account: string; localAddress: string; length: number },
) {
  const path = `${url}/api/vaults/0198f2a0-0000-7000-8000-000000000001/content/a.bin`
  const headers = { 'X-Dev-Provider-Id': account, 'content-length': length }
  return sendRequest(path, { method: 'PUT', agent: false, localAddress, headers }).on('error', () => {})
}

/** Zero before the metric exists. */
async function metric({ adminUrl }: typeof gateway, pattern: string): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text()
  return Number(new RegExp(`^${pattern}.* (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
}
