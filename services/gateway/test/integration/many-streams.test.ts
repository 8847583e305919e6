import { once } from 'node:events'
import { get, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { request, startDoor, startGateway } from '../bundle.ts'

const publicFile = '/api/public/files/0198f2a0-0000-7000-8000-000000000001'
const smallFile = '/api/public/files/0198f2a0-0000-7000-8000-000000000002'
const privateFile = '/api/downloads/0198f2a0-0000-7000-8000-000000000001?expires=1&signature=x'
const piece = Buffer.alloc(64 * 1024, 7)
let door: Awaited<ReturnType<typeof startDoor>>
/** Streams under way at the files service. */
const open = new Set<ServerResponse>()

beforeAll(async () => {
  door = await startDoor()
  door.files.answerWith((request, response) => {
    if (!/public|downloads/.test(request.url ?? '')) return void response.end('{}')
    if (request.url?.endsWith('2')) return void setTimeout(() => response.end('bytes'), 10)
    open.add(response)
    response.once('close', () => open.delete(response))
    const pump = () => {
      while (response.write(piece));
      response.once('drain', pump)
    }
    pump()
  })
})
afterAll(() => door[Symbol.asyncDispose]())

/** A download from one of loopback's many addresses that is answered and not read. */
async function stall(url: string, localAddress = '127.0.0.1'): Promise<IncomingMessage> {
  const outgoing = get(url, { agent: false, localAddress })
  outgoing.on('error', () => {})
  const [response] = await once(outgoing, 'response')
  return (response as IncomingMessage).pause().on('error', () => {})
}

async function expectRefused(response: IncomingMessage): Promise<void> {
  expect(response.statusCode).toBe(503)
  expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  expect(JSON.parse(Buffer.concat(chunks).toString())).toMatchObject({ code: 'unavailable' })
}

describe('downloads that are not read', () => {
  const limits = { STREAM_STALL_SECONDS: '1', STREAMS_PER_ADDRESS_MAX: '3', STREAMS_MAX: '5' }

  it('are as many as one address may have; more are 503 within a second or so, and all else is served', async () => {
    await using gateway = await startGateway({
      ...door.env,
      ...limits,
      FILES_URL: door.files.url,
      STREAM_STALL_SECONDS: '60',
    })
    const [first, ...stalled] = [
      await stall(gateway.url + publicFile),
      await stall(gateway.url + privateFile),
      await stall(gateway.url + publicFile),
    ]
    await expectRefused(await stall(gateway.url + publicFile))
    await expectRefused(await stall(gateway.url + privateFile))
    expect((await request(`${gateway.url}/api/vaults`)).status).toBe(200)
    stalled.push(await stall(gateway.url + publicFile, '127.0.9.1'), await stall(gateway.url + publicFile, '127.0.9.2'))
    // Now the process has all it may have.
    await expectRefused(await stall(gateway.url + publicFile, '127.0.9.3'))
    expect((await request(`${gateway.url}/api/vaults`)).status).toBe(200)

    first?.destroy()
    await waitFor(async () => (await metric(gateway.adminUrl, 'tideport_open_streams')) === 4)
    stalled.push(await stall(gateway.url + publicFile, '127.0.9.3'))
    expect(await metric(gateway.adminUrl, 'tideport_refused_streams_total{.*address')).toBe(2)
    expect(await metric(gateway.adminUrl, 'tideport_refused_streams_total{.*process')).toBe(1)
    for (const response of stalled) response.destroy()
    await waitFor(() => open.size === 0)
  })

  it('are cut, and their requests at the service with them', async () => {
    await using gateway = await startGateway({ ...door.env, ...limits, FILES_URL: door.files.url })
    const before = door.files.seen.length
    const stalled = await Promise.all([stall(gateway.url + publicFile), stall(gateway.url + privateFile)])
    expect(door.files.seen.length - before).toBe(2)
    await waitFor(() => open.size === 0)
    await waitFor(async () => (await metric(gateway.adminUrl, 'tideport_open_streams')) === 0)
    expect(await metric(gateway.adminUrl, 'tideport_stalled_answers_total')).toBe(2)
    for (const response of stalled) response.destroy()
  })
})

describe('more downloads at once than one address may have', () => {
  it('wait for each other, where they are read', async () => {
    await using gateway = await startGateway({ ...door.env, STREAMS_PER_ADDRESS_MAX: '8', FILES_URL: door.files.url })
    const answers = await Promise.all(Array.from({ length: 30 }, () => request(gateway.url + smallFile)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(await metric(gateway.adminUrl, 'tideport_open_streams')).toBe(0)
  })

  it('take no place of other addresses, however many wait', async () => {
    const limits = { STREAMS_PER_ADDRESS_MAX: '1', STREAMS_MAX: '5' }
    await using gateway = await startGateway({ ...door.env, ...limits, FILES_URL: door.files.url })
    const first = await stall(gateway.url + publicFile)
    const crowd = Array.from({ length: 12 }, () => stall(gateway.url + publicFile))
    await waitFor(async () => (await metric(gateway.adminUrl, 'tideport_refused_streams_total{.*address')) >= 8)
    const other = await stall(gateway.url + publicFile, '127.0.9.1')
    expect(other.statusCode).toBe(200)
    for (const refused of await Promise.all(crowd)) await expectRefused(refused)
    for (const response of [first, other]) response.destroy()
    await waitFor(() => open.size === 0)
  })

  it('take half of all places at most where they are of one account, from however many addresses', async () => {
    const limits = { STREAMS_PER_ADDRESS_MAX: '1', STREAMS_MAX: '4', STREAM_STALL_SECONDS: '60' }
    await using gateway = await startGateway({ ...door.env, ...limits, FILES_URL: door.files.url })
    const url = `${gateway.url}/api/vaults/0198f2a0-0000-7000-8000-000000000001/content/a.bin`
    const upload = (account: string, localAddress: string, bytes: string) => {
      const headers = { 'X-Dev-Provider-Id': account, 'content-length': 2 }
      const outgoing = sendRequest(url, { method: 'PUT', agent: false, localAddress, headers }).on('error', () => {})
      outgoing.write(bytes)
      return outgoing
    }
    const slow = Array.from({ length: 4 }, (_, index) => upload('slow', `127.0.9.${index + 1}`, 'x'))
    const refused: IncomingMessage[] = []
    for (const outgoing of slow) outgoing.once('response', (response) => refused.push(response))
    await waitFor(async () => (await metric(gateway.adminUrl, 'tideport_open_streams')) + refused.length === 4)
    const [other] = await once(upload('first', '127.0.9.9', 'ab').end(), 'response')
    expect(other.statusCode).toBe(200)
    other.resume()
    expect(refused).toHaveLength(2)
    for (const response of refused) await expectRefused(response)
    for (const outgoing of slow) outgoing.destroy()
    await waitFor(async () => (await metric(gateway.adminUrl, 'tideport_open_streams')) === 0)
  })

  it('hold no place of those that go away while they wait', async () => {
    await using gateway = await startGateway({ ...door.env, STREAMS_PER_ADDRESS_MAX: '1', FILES_URL: door.files.url })
    const first = await stall(gateway.url + publicFile)
    const leaving = Array.from({ length: 5 }, () =>
      get(gateway.url + publicFile, { agent: false }).on('error', () => {}),
    )
    await Promise.all(leaving.map((outgoing) => once(outgoing, 'finish')))
    for (const outgoing of leaving) outgoing.destroy()
    first.destroy()
    await waitFor(async () => (await metric(gateway.adminUrl, 'tideport_open_streams')) === 0)
    const last = await stall(gateway.url + publicFile)
    expect(last.statusCode).toBe(200)
    last.destroy()
    await waitFor(() => open.size === 0)
  })
})

async function metric(adminUrl: string, pattern: string): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text()
  return Number(new RegExp(`^${pattern}.* (\\d+)$`, 'm').exec(text)?.[1])
}
