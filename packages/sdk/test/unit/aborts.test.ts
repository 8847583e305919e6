import { readdir } from 'node:fs/promises'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, it, vi } from 'vitest'
import { spoolToDisk } from '../../src/node.ts'
import {
  createClient,
  download,
  NetworkError,
  readAccount,
  type UploadOptions,
  upload,
  uploadMany,
  waitFor,
} from '../../src/tideport.ts'
import { chunksOf } from '../../src/transfer/cut-stream.ts'

const MIB = 1024 ** 2
const never = () => new Promise<never>(() => {})
const record = { id: 'f', sizeBytes: 10, checksumSha256: null, downloadUrl: 'https://files.example/f' }
const parts = Array.from({ length: 20 }, (_, index) => ({
  partNumber: index + 1,
  uploadUrl: 'https://files.example/put',
}))
const answer = { ...record, fileId: 'f', parts, headers: {}, expiresAt: '2999-01-01T00:00:00Z' }
/** A service that accepts everything. */
const client = createClient({ baseUrl: 'https://files.example', fetch: async () => Response.json(answer) })

async function* stuck(bytes = 5) {
  yield new Uint8Array(bytes)
  await never()
}
const neverGives = () => new ReadableStream<Uint8Array>({ pull: never, cancel: never })
const source = (size: number) => ({ size, slice: never })
/** Only reads of bytes get `read`. */
const silent = (read: () => Promise<Response>, more: object = {}) =>
  createClient({ ...more, baseUrl: 'https://files.example', fetch: async (url) => (url === record.downloadUrl ? await read() : Response.json(answer)) }) // biome-ignore format: one line
const readAll = async (opened: ReturnType<typeof download>) => await new Response((await opened).body).bytes()
type Work = (signal: AbortSignal) => Promise<unknown>
const uploading =
  (make: () => Parameters<typeof upload>[1], more: Partial<UploadOptions> = {}): Work =>
  (signal) =>
    upload(client, make(), { vaultId: 'v', name: 'a', signal, ...more })

const works: Record<string, Work> = {
  'a stream that gives nothing more': uploading(stuck),
  'one of a known size': uploading(stuck, { sizeBytes: 100 * MIB }),
  'one of the web': uploading(neverGives),
  'a stream on its way to the disk': uploading(() => stuck(17 * MIB), { spool: spoolToDisk }),
  'a stream that is spooled by itself': (signal) => spoolToDisk(stuck(), signal),
  'a small source that gives nothing': uploading(() => source(5)),
  'a middling one': uploading(() => source(5 * MIB)),
  'a large one': uploading(() => source(50 * MIB)),
  'one that is looked at for its token': uploading(() => source(5 * MIB), { onToken: () => {} }),
  'a token that does not come': (signal) => readAccount(createClient({ baseUrl: 'https://a.example', bearerToken: never }), {}, { signal }), // biome-ignore format: one row
  'an answer that does not come, whatever `fetch` thinks of signals': (signal) => readAccount(createClient({ baseUrl: 'https://a.example', fetch: never }), {}, { signal }), // biome-ignore format: one row
  'a download that is not answered': (signal) => readAll(download(silent(never), 'f', { signal })),
  'one that says nothing': (signal) =>
    readAll(
      download(
        silent(async () => new Response(neverGives())),
        'f',
        { signal },
      ),
    ),
  'bytes that are not taken by a way of your own': (signal) =>
    upload({ ...client, putBytes: never }, new Blob([new Uint8Array(5 * MIB)]), { vaultId: 'v', name: 'a', signal }),
  'one of many that does not open': async (signal) => {
    for await (const _ of uploadMany(client, [{ key: 'a', source: never }], { vaultId: 'v', signal }));
  },
}

it.each(Object.entries(works))('%s ends with the reason of the signal', async (_, work) => {
  const reason = new Error('enough')
  await expect(work(AbortSignal.abort(reason))).rejects.toBe(reason)
  const controller = new AbortController()
  const ended = expect(work(controller.signal)).rejects.toBe(reason)
  setTimeout(() => controller.abort(reason), 20)
  await ended
})

it('what was spooled when it was enough is not left behind', async () => {
  await using directory = await createTemporaryDirectory('spooled')
  vi.stubEnv('TMPDIR', directory.path)
  try {
    const controller = new AbortController()
    const ended = uploading(() => stuck(17 * MIB), { spool: spoolToDisk })(controller.signal).catch(() => {})
    await expect.poll(() => readdir(directory.path)).not.toEqual([])
    controller.abort()
    await ended
    expect(await readdir(directory.path)).toEqual([])
  } finally {
    vi.unstubAllEnvs()
  }
})

it('a download that nobody takes any more ends at once, whatever `fetch` thinks of signals', async () => {
  const began = Promise.withResolvers<void>()
  const pull = () => {
    began.resolve()
    return never()
  }
  const bytes = () => new ReadableStream({ pull, cancel: never }, { highWaterMark: 0 })
  const { body } = await download(
    silent(async () => new Response(bytes())),
    'f',
  )
  const reader = body.getReader()
  const read = reader.read()
  await began.promise
  await reader.cancel()
  expect(await read).toMatchObject({ done: true })
})

it('a download whose bytes do not come is asked for again, and then given up', async () => {
  let asked = 0
  const read = async () => {
    asked++
    return new Response(neverGives())
  }
  const reading = readAll(download(silent(read, { timeoutMs: 20, attempts: 2 }), 'f'))
  await expect(reading).rejects.toThrow(new NetworkError('The download was interrupted'))
  expect(asked).toBe(2)
})

it('a token that does not come has the time of a request', async () => {
  const waiting = createClient({ baseUrl: 'https://a.example', bearerToken: never, timeoutMs: 20, attempts: 1 })
  await expect(readAccount(waiting)).rejects.toThrow('No response within 20 ms')
})

it.each([stuck, () => ReadableStream.from(stuck()), neverGives])(
  'a stream that is aborted never looks as if it were over: %o',
  async (make) => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const read = (async () => {
      for await (const _ of chunksOf(make(), controller.signal));
    })()
    setTimeout(() => controller.abort(reason), 20)
    await expect(read).rejects.toBe(reason)
  },
)

it('a state that there is not is not waited for, nor taken for reached', async () => {
  await expect(waitFor(client, 'f', 'Synced' as 'synced')).rejects.toThrow(new TypeError('Unknown status Synced'))
})

it.each([
  [-1, 5],
  [0.5, 3],
  [Number.NaN, 5],
  [0, -1],
])('from %d to %d is no place in a file', async (start, end) => {
  await expect(download(client, 'f', { start, end })).rejects.toThrow(RangeError)
})
