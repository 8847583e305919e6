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
  'an upload of a stream that stalls': uploading(stuck),
  'an upload of a stalled stream of known size': uploading(stuck, { sizeBytes: 100 * MIB }),
  'an upload of a stalled web stream': uploading(neverGives),
  'an upload of a stream that is spooled to disk': uploading(() => stuck(17 * MIB), { spool: spoolToDisk }),
  'an upload of a stream with its own spool': (signal) => spoolToDisk(stuck(), signal),
  'an upload of a small source that stalls': uploading(() => source(5)),
  'an upload of a medium source that stalls': uploading(() => source(5 * MIB)),
  'an upload of a large source that stalls': uploading(() => source(50 * MIB)),
  'an upload that reads its source for the token': uploading(() => source(5 * MIB), { onToken: () => {} }),
  'a call whose bearer token never arrives': (signal) => readAccount(createClient({ baseUrl: 'https://a.example', bearerToken: never }), {}, { signal }), // biome-ignore format: one row
  'a call without a response, even if `fetch` ignores signals': (signal) => readAccount(createClient({ baseUrl: 'https://a.example', fetch: never }), {}, { signal }), // biome-ignore format: one row
  'a download without a response': (signal) => readAll(download(silent(never), 'f', { signal })),
  'a download that stalls': (signal) =>
    readAll(
      download(
        silent(async () => new Response(neverGives())),
        'f',
        { signal },
      ),
    ),
  'an upload with a custom `putBytes` that stalls': (signal) =>
    upload({ ...client, putBytes: never }, new Blob([new Uint8Array(5 * MIB)]), { vaultId: 'v', name: 'a', signal }),
  'an upload of many files with a source that never opens': async (signal) => {
    for await (const _ of uploadMany(client, [{ key: 'a', source: never }], { vaultId: 'v', signal }));
  },
}

it.each(Object.entries(works))("rejects with the signal's reason: %s", async (_, work) => {
  const reason = new Error('enough')
  await expect(work(AbortSignal.abort(reason))).rejects.toBe(reason)
  const controller = new AbortController()
  const ended = expect(work(controller.signal)).rejects.toBe(reason)
  setTimeout(() => controller.abort(reason), 20)
  await ended
})

it('deletes a spooled stream after an abort', async () => {
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

it('stops a download as soon as the reader cancels, even if `fetch` ignores signals', async () => {
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

it('retries a stalled download, and then rejects', async () => {
  let asked = 0
  const read = async () => {
    asked++
    return new Response(neverGives())
  }
  const reading = readAll(download(silent(read, { timeoutMs: 20, attempts: 2 }), 'f'))
  await expect(reading).rejects.toThrow(new NetworkError('The download was interrupted'))
  expect(asked).toBe(2)
})

it('gives a token the timeout of a request', async () => {
  const waiting = createClient({ baseUrl: 'https://a.example', bearerToken: never, timeoutMs: 20, attempts: 1 })
  await expect(readAccount(waiting)).rejects.toThrow('No response within 20 ms')
})

it.each([stuck, () => ReadableStream.from(stuck()), neverGives])(
  'never treats an aborted stream as complete: %o',
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

it('rejects an unknown status instead of waiting for it', async () => {
  await expect(waitFor(client, 'f', 'Synced' as 'synced')).rejects.toThrow(new TypeError('Unknown status Synced'))
})

it.each([
  [-1, 5],
  [0.5, 3],
  [Number.NaN, 5],
  [0, -1],
])('rejects the range from %d to %d', async (start, end) => {
  await expect(download(client, 'f', { start, end })).rejects.toThrow(RangeError)
})
