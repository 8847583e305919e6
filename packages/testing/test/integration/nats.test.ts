import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { expect, it } from 'vitest'
import { startNats, type TestNats } from '../../src/nats.ts'

async function messagesStored(nats: TestNats) {
  const manager = await jetstreamManager(await nats.connect())
  const { state } = await manager.streams.info('NOTES')
  return state.messages
}

it('comes back on its port with what was stored, after a stop and after a kill', async () => {
  await using nats = await startNats()
  const connection = await nats.connect()
  await (await jetstreamManager(connection)).streams.add({ name: 'NOTES', subjects: ['notes.>'] })
  await jetstream(connection).publish('notes.one', 'kept')

  await nats.kill()
  await expect(connect({ servers: nats.url, reconnect: false })).rejects.toThrow()
  await nats.start()
  expect(await messagesStored(nats)).toBe(1)
  await nats.restart()
  expect(await messagesStored(nats)).toBe(1)
  await nats.wipe()
  await expect(messagesStored(nats)).rejects.toThrow('stream not found')
})
