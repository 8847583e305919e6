import { spawnSync } from 'node:child_process'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { supervise } from '../../src/processes/supervise.ts'
import { launchNats, type NatsServer } from '../../src/servers/launch-nats.ts'

/** Sends one request over the wire protocol, and returns the JSON response. */
async function ask(port: number, subject: string, body: unknown): Promise<Record<string, unknown>> {
  const socket = connect({ port, host: '127.0.0.1' })
  const lines = createInterface({ input: socket })
  const json = JSON.stringify(body)
  socket.on('error', () => {}).on('close', () => lines.close())
  socket.setTimeout(2_000, () => socket.destroy()) // A full disk may leave a message without a reply.
  socket.write('CONNECT {"verbose":false}\r\nSUB answers 1\r\n')
  socket.write(`PUB ${subject} answers ${Buffer.byteLength(json)}\r\n${json}\r\n`)
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
  const created = await ask(first.port, '$JS.API.STREAM.CREATE.KEPT', { name: 'KEPT', subjects: ['kept.>'] })
  expect(created).toMatchObject({ config: { name: 'KEPT' } })
  await first.stop()

  const second = await launchNats({ dataDir: dir.path, port: first.port })
  expect(second.url).toBe(first.url)
  second.kill()
  expect(await second.exited).toMatchObject({ signal: 'SIGKILL' })

  await using third = await launchNats({ dataDir: dir.path, port: first.port })
  expect(await ask(third.port, '$JS.API.STREAM.NAMES', {})).toMatchObject({ streams: ['KEPT'] })
})

test('reserves the same space for streams regardless of the free disk space', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  await using server = await launchNats({ dataDir: dir.path })
  const create = (name: string, gb: number) =>
    ask(server.port, `$JS.API.STREAM.CREATE.${name}`, {
      name,
      subjects: [`${name}.>`],
      storage: 'file',
      max_bytes: gb * 1e9,
    })
  expect(await create('LARGE', 60)).toMatchObject({ config: { name: 'LARGE' } })
  expect(await create('MORE', 15)).toMatchObject({ error: { err_code: 10047 } })
})

test('rejects a taken port, and leaves the server that uses it running', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  await using other = await createTemporaryDirectory('dev-stack')
  await using server = await launchNats({ dataDir: dir.path })
  await expect(launchNats({ dataDir: other.path, port: server.port })).rejects.toThrow(/address already in use/)
  expect(await ask(server.port, '$JS.API.STREAM.NAMES', {})).toMatchObject({ total: 0 })
})

/** A small file system in `dir` until disposal. Undefined for users who cannot mount one. */
function mountSmallDisk(dir: string): Disposable | undefined {
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', dir])
  return status === 0 ? { [Symbol.dispose]: () => void spawnSync('umount', ['--lazy', dir]) } : undefined
}

test('restarts after a full disk, and then stores messages again', async ({ skip }) => {
  await using dir = await createTemporaryDirectory('dev-stack')
  using disk = mountSmallDisk(dir.path)
  if (disk === undefined) skip('This user cannot mount a disk')
  const printed: string[] = []
  await using server = await supervise<NatsServer>({
    name: 'nats',
    launch: (previous) => launchNats({ dataDir: join(dir.path, 'nats'), port: previous?.port }),
    onRestart: async () => {},
    report: (line) => printed.push(line),
  })
  const { port } = server.current()
  const publish = (size: number) => ask(port, 'kept.message', 'x'.repeat(size))
  await ask(port, '$JS.API.STREAM.CREATE.KEPT', { name: 'KEPT', subjects: ['kept.>'], storage: 'file' })
  expect(await publish(1)).toMatchObject({ stream: 'KEPT', seq: 1 })

  const ballast = join(dir.path, 'ballast')
  const { bavail, bsize } = await statfs(dir.path)
  await writeFile(ballast, Buffer.alloc(bavail * bsize))
  await waitFor(async () => {
    await publish(65_536).catch(() => {})
    return printed.some((line) => line.includes('exited with'))
  })
  await rm(ballast)
  await waitFor(async () => (await publish(1)).stream === 'KEPT')
})
