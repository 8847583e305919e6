import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { verify } from '@tideport/sdk/webhooks'
import { startReceiver } from '@tideport/testing/receiver'
import { expect, test } from 'vitest'
import { cliAccount } from './support/cli-account.ts'

test.concurrent('a local receiver gets signed deliveries, and later the deliveries that it missed while stopped', async () => {
  await using user = await cliAccount()
  const { tideport, write } = user
  await using hook = await startReceiver()
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const [{ id }] = (await tideport(['webhooks', 'create', hook.url, '--event', 'file.hot', '--json'])).values()
  /** One at a time, because deliveries of nearly simultaneous events have no fixed order. */
  const upload = async (name: string) => {
    await write({ [name]: name })
    await tideport(['upload', name])
    await hook.waitFor(({ body }) => JSON.parse(String(body)).data.fileName === name)
  }
  const got: string[] = []
  const server = createServer(async (request, response) => {
    const event = await verify(await buffer(request), request.headers, secret)
    got.push((event.data as { fileName: string }).fileName)
    response.writeHead(200).end()
  })
  await using _closed = {
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const args = ['webhooks', 'listen', id, '--forward-to', `http://127.0.0.1:${port}/`, '--secret-stdin', '--json']
  const listen = (until: string, signal: NodeJS.Signals) =>
    tideport(args, { stdin: secret, signalWhen: (printed) => printed.includes(until), signal })

  // Starts at the current position. Killed after the first delivery.
  const first = listen('"first-', 'SIGKILL')
  for (let number = 0; got.length === 0; number++) await upload(`first-${number}`)
  expect((await first).code).toBeNull()
  await upload('in the gap')
  await upload('last')
  const second = await listen('"last"', 'SIGINT')
  expect(second.code).toBe(2)
  expect(second.values().at(-1)).toMatchObject({ event: 'file.hot', status: 200, body: { data: { fileName: 'last' } } })
  // The delivery that was in progress at the kill may repeat. The first may have been before the current position.
  const once = [...new Set(got)]
  const begin = Number(once[0]?.slice('first-'.length))
  expect(once).toEqual(
    [...once.keys()]
      .slice(2)
      .map((number) => `first-${begin + number - 2}`)
      .concat('in the gap', 'last'),
  )
  expect(got.length - once.length).toBeLessThanOrEqual(1)
  // An unavailable service is an error, never a silent pause.
  await tideport(['webhooks', 'rm', id])
  expect(await tideport(args, { stdin: secret })).toMatchObject({ code: 1 })
})
