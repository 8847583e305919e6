import { once } from 'node:events'
import { createServer } from 'node:http'
import { startInterimServer } from '@tideport/testing/interim-server'
import { closeAtOnce } from '@tideport/testing/loopback-server'
import { expect, it } from 'vitest'
import { askProvider } from '../../src/sign-in/ask-provider.ts'
import { forwardEvent } from '../../src/transfer/forward-event.ts'

const signal = new AbortController().signal
const pieces = ['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\n\r\n']

function forwardTo(url: string): Promise<number> {
  const onSilence = (why: string) => {
    throw new Error(why)
  }
  return forwardEvent({ eventId: 'e', isTest: false, body: '{}' }, { url, secret: 'whsec_AAAA', signal, onSilence })
}

it('forwards once to a receiver that sends an unrequested 100 Continue', async () => {
  await using receiver = await startInterimServer({ pieces })
  expect(await forwardTo(receiver.url)).toBe(200)
  expect(receiver.bodies).toEqual(['{}'])
})

it('reads an identity provider that sends an unrequested 100 Continue', async () => {
  await using provider = await startInterimServer({ pieces, body: '{"access_token":"a"}' })
  expect(await askProvider(provider.url, { a: 'b' }, signal)).toEqual({ status: 200, body: { access_token: 'a' } })
  expect(provider.bodies).toEqual(['a=b'])
})

it('forwards to a port that browsers block', async () => {
  const server = createServer((_request, response) => response.end())
  const blocked = [6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080]
  for (const port of blocked) {
    server.listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    expect(await forwardTo(`http://127.0.0.1:${port}/`)).toBe(200)
    return await closeAtOnce(server)
  }
  throw new Error('Every blocked port is in use')
})
