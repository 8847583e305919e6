import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, test } from 'vitest'
import { launchNats } from '../../src/servers/launch-nats.ts'

/** Sends one request to the JetStream API over the wire protocol, and returns the JSON response. */
async function ask(port: number, subject: string, body: unknown): Promise<Record<string, unknown>> {
  const socket = connect({ port, host: '127.0.0.1' })
  const lines = createInterface({ input: socket })
  const json = JSON.stringify(body)
  socket.write('CONNECT {"verbose":false}\r\nSUB answers 1\r\n')
  socket.write(`PUB $JS.API.${subject} answers ${Buffer.byteLength(json)}\r\n${json}\r\n`)
  try {
    for await (const line of lines) if (line.startsWith('{')) return JSON.parse(line)
    throw new Error('the server closed the connection')
  } finally {
    socket.destroy()
  }
}

test('keeps streams after a stop and after a kill -9, on the same port', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  const first = await launchNats({ dataDir: dir.path })
  const created = await ask(first.port, 'STREAM.CREATE.KEPT', { name: 'KEPT', subjects: ['kept.>'] })
  expect(created).toMatchObject({ config: { name: 'KEPT' } })
  await first.stop()

  const second = await launchNats({ dataDir: dir.path, port: first.port })
  expect(second.url).toBe(first.url)
  second.kill()
  expect(await second.exited).toMatchObject({ signal: 'SIGKILL' })

  await using third = await launchNats({ dataDir: dir.path, port: first.port })
  expect(await ask(third.port, 'STREAM.NAMES', {})).toMatchObject({ streams: ['KEPT'] })
})

test('reserves the same space for streams regardless of the free disk space', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  await using server = await launchNats({ dataDir: dir.path })
  const create = (name: string, gb: number) =>
    ask(server.port, `STREAM.CREATE.${name}`, { name, subjects: [`${name}.>`], storage: 'file', max_bytes: gb * 1e9 })
  expect(await create('LARGE', 60)).toMatchObject({ config: { name: 'LARGE' } })
  expect(await create('MORE', 15)).toMatchObject({ error: { err_code: 10047 } })
})

test('rejects a taken port, and leaves the server that uses it running', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  await using other = await createTemporaryDirectory('dev-stack')
  await using server = await launchNats({ dataDir: dir.path })
  await expect(launchNats({ dataDir: other.path, port: server.port })).rejects.toThrow(/address already in use/)
  expect(await ask(server.port, 'STREAM.NAMES', {})).toMatchObject({ total: 0 })
})
