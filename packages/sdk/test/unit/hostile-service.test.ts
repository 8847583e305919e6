import { createServer, type RequestListener } from 'node:http'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createVaultKey, downloadPrivate, UnencryptedFileError } from '../../src/crypto.ts'
import {
  ApiError,
  ChecksumError,
  confirmUpload,
  createClient,
  download,
  followWebhook,
  listFiles,
  NetworkError,
  openLink,
  ProtocolError,
  readAccount,
  readContent,
  readFile,
  StorageError,
  upload,
  waitFor,
} from '../../src/tideport.ts'

/** A lying service must only cause errors for its callers. */
async function serve(listener: RequestListener) {
  const server = createServer(listener)
  onTestFinished(() => closeAtOnce(server))
  return `http://127.0.0.1:${await listenOnLoopback(server)}`
}

/** A service that responds by the first matching path, and the number of requests per path. */
async function liar(answers: Record<string, RequestListener | object>) {
  const asked: string[] = []
  const baseUrl = await serve((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const found = Object.entries(answers).find(([path]) => request.url?.startsWith(path))?.[1]
    if (typeof found === 'function') return (found as RequestListener)(request, response)
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(found ?? {}))
  })
  return { client: createClient({ baseUrl, apiKey: 'tdp_secret', attempts: 3, timeoutMs: 5000 }), baseUrl, asked }
}

const endless =
  (status: number, letter: string): RequestListener =>
  (request, response) => {
    const more = () => {
      while (response.write(Buffer.alloc(1024 ** 2, letter)));
      response.once('drain', more)
    }
    request.resume().once('end', more)
    response.writeHead(status)
  }

const readAll = async (list: AsyncIterable<unknown>) => {
  for await (const _ of list);
}
const drain = async (body: ReadableStream) => new Uint8Array(await new Response(body).arrayBuffer())
const record = (sizeBytes: number) => ({ id: 'f', sizeBytes, checksumSha256: null, status: 'hot' })
const file = (sizeBytes: number, downloadUrl: string) => ({
  '/api/files/f/download': { downloadUrl, source: 'hot' },
  '/api/files/f': record(sizeBytes),
})

describe('responses', () => {
  it.each(['g', undefined, 7])('with the ID %s are not accepted for the requested file', async (id) => {
    const { client, asked } = await liar({ '/api/files/f': { ...record(1), wrappedKey: 'tideport.1.a.b', id } })
    await expect(download(client, 'f')).rejects.toThrow(ProtocolError)
    await expect(downloadPrivate(client, 'f', { vaultKey: createVaultKey() })).rejects.toThrow(ProtocolError)
    expect(asked).toHaveLength(2)
  })

  it('without an envelope are not private files', async () => {
    const { client } = await liar({ '/api/files/f': { ...record(1), wrappedKey: null } })
    await expect(downloadPrivate(client, 'f', { vaultKey: createVaultKey() })).rejects.toThrow(UnencryptedFileError)
  })

  it('without an end are aborted, however fast they are', async () => {
    const { client, asked } = await liar({ '/api/account': endless(200, ' ') })
    await expect(readAccount(client)).rejects.toThrow(ProtocolError)
    expect(asked).toHaveLength(1)
  })

  it('larger than any response of the API are not read to the end', async () => {
    const text = `[${'{},'.repeat(4 * 1024 ** 2)}{}]`
    const { client } = await liar({ '/api/account': (_, response) => response.end(text) })
    await expect(readAccount(client)).rejects.toThrow('larger than any')
  })

  it('as large as any response of the API are read', async () => {
    const tags = Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(64, '\u{1f30a}'))
    const files = Array.from({ length: 100 }, () => ({ ...record(1), tags, path: '"'.repeat(1024), wrappedKey: 'x'.repeat(4096) })) // biome-ignore format: one record
    const { client } = await liar({ '/api/files': { files, nextCursor: null } })
    expect((await listFiles(client).page()).files).toEqual(files)
  })

  it('without an object, or lists without a list, are reported with their endpoint', async () => {
    const noObject: RequestListener = (_, response) => response.end('[]')
    const { client, asked } = await liar({ '/api/account': noObject, '/api/files': { files: 7, nextCursor: null } })
    await expect(readAccount(client)).rejects.toThrow(new ProtocolError('The response to GET /api/account is not a JSON object')) // biome-ignore format: one claim
    await expect(listFiles(client).page()).rejects.toThrow(new ProtocolError('The response to GET /api/files contains no list')) // biome-ignore format: one claim
    expect(asked).toHaveLength(2)
  })

  it('are passed to `checkAnswer` first, which prevents retries and use', async () => {
    const { baseUrl, asked } = await liar({ '/api/files/f': record(1) })
    const checkAnswer = (endpoint: string, answer: object) => {
      if (!('name' in answer)) throw new RangeError(`${endpoint}: no name`)
    }
    const client = createClient({ baseUrl, checkAnswer })
    await expect(readFile(client, { fileId: 'f' })).rejects.toThrow(new RangeError('GET /api/files/:fileId: no name'))
    expect(asked).toHaveLength(1)
  })

  it.each([301, 302, 307, 308])('with a redirect (%i) to another origin send nothing there', async (status) => {
    let visits = 0
    const other = await serve((_, response) => {
      visits++
      response.end('{}')
    })
    const { client } = await liar({
      '/api/account': (_, response) => response.writeHead(status, { location: `${other}/api/account` }).end(),
    })
    await expect(readAccount(client)).rejects.toBeInstanceOf(ApiError)
    expect(visits).toBe(0)
  })

  it('of bytes may redirect to another origin, which does not get the key', async () => {
    const seen: (string | undefined)[] = []
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization)
      response.end('bytes')
    })
    const { client } = await liar({
      '/api/vaults/v/content': (_, response) => response.writeHead(302, { location: `${other}/b` }).end(),
    })
    expect(await (await readContent(client, { vaultId: 'v', path: 'a' })).text()).toBe('bytes')
    expect(seen).toEqual([undefined])
  })

  it('that request a pause of a year fail immediately, even for a confirm', async () => {
    const away: RequestListener = (request, response) => {
      const code = request.url?.endsWith('confirm') ? 'confirm_in_progress' : 'unavailable'
      response.writeHead(503, { 'retry-after': '31536000' }).end(JSON.stringify({ error: 'Later', code }))
    }
    const { client, asked } = await liar({ '/api/': away })
    await expect(readAccount(client)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 31_536_000 })
    await expect(confirmUpload(client, { fileId: 'f' })).rejects.toMatchObject({ code: 'confirm_in_progress' })
    expect(asked).toHaveLength(2)
  })
})

describe('an upload', () => {
  const begun = (more: object) => ({
    fileId: 'f',
    uploadUrl: 'http://127.0.0.1:9/',
    headers: {},
    method: 'PUT',
    ...more,
  })
  const bytes = new Uint8Array(5 * 1024 ** 2)

  it('fails if its confirm should be retried in a year', async () => {
    const store = await serve((request, response) => request.resume().on('end', () => response.end()))
    const { client } = await liar({
      '/api/files/upload': begun({ uploadUrl: store, expiresAt: '2999-01-01T00:00:00Z' }),
      '/api/files/f/confirm': (_, response) =>
        response.writeHead(503, { 'retry-after': '31536000' }).end('{"error":"Later","code":"confirm_in_progress"}'),
    })
    await expect(upload(client, bytes, { vaultId: 'v', name: 'a' })).rejects.toMatchObject({
      code: 'confirm_in_progress',
    })
  })

  it('fails if its bytes get an endless response', async () => {
    const store = await serve(endless(200, ' '))
    const { client } = await liar({
      '/api/files/upload': begun({ uploadUrl: store, expiresAt: '2999-01-01T00:00:00Z' }),
    })
    await expect(upload(client, bytes, { vaultId: 'v', name: 'a' })).rejects.toThrow(ProtocolError)
  })

  it('fails without a URL, or with a URL that is not http or https', async () => {
    const wrong = [
      { expiresAt: 'never' },
      { expiresAt: '2999-01-01T00:00:00Z', uploadUrl: 'file:///tmp/stolen' },
      { expiresAt: '2999-01-01T00:00:00Z', uploadUrl: 'no URL', parts: [] },
    ]
    for (const more of wrong) {
      const { client } = await liar({
        '/api/files/f/upload-urls': { headers: {}, expiresAt: 'never', parts: [] },
        '/api/files/upload': begun(more),
      })
      await expect(upload(client, bytes, { vaultId: 'v', name: 'a' })).rejects.toThrow(ProtocolError)
    }
  })
})

describe('a download', () => {
  it('yields no more bytes than the file has', async () => {
    const endless = await serve((_, response) => {
      const more = () => {
        while (response.write(Buffer.alloc(65_536)));
        response.once('drain', more)
      }
      response.writeHead(200)
      more()
    })
    const { client } = await liar(file(100_000, endless))
    await expect(drain((await download(client, 'f')).body)).rejects.toThrow(ChecksumError)
  })

  it('fails after its attempts if it always breaks', async () => {
    const short = await serve((_, response) => response.writeHead(200, { 'content-length': '10' }).destroy())
    const { client, asked } = await liar(file(10, short))
    await expect(drain((await download(client, 'f')).body)).rejects.toThrow(NetworkError)
    expect(asked.filter((one) => one.endsWith('/download'))).toHaveLength(3)
  })

  it('of a range accepts neither the complete file nor another range', async () => {
    const whole = await serve((_, response) => response.writeHead(200).end('0123456789'))
    const part = { start: 4, end: 8 }
    const first = await liar(file(10, whole))
    await expect(drain((await download(first.client, 'f', part)).body)).rejects.toThrow(StorageError)
    const other = await serve((_, response) => response.writeHead(206, { 'content-range': 'bytes 0-3/10' }).end('0123'))
    const second = await liar(file(10, other))
    await expect(drain((await download(second.client, 'f', part)).body)).rejects.toThrow(ProtocolError)
  })

  it('reads no local file, and puts no URL into its errors', async () => {
    const { client } = await liar(file(10, 'file:///etc/passwd'))
    await expect(drain((await download(client, 'f')).body)).rejects.toThrow(ProtocolError)
    const gone = await liar(file(10, 'http://127.0.0.1:9/secret?X-Amz-Signature=1'))
    const error = await drain((await download(gone.client, 'f')).body).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(NetworkError)
    expect(`${error.stack} ${JSON.stringify(error)} ${error.cause}`).not.toContain('X-Amz')
  })
})

describe('a list', () => {
  it.each([1, 2, 7])('fails if its cursors repeat after %i pages', async (length) => {
    let page = 0
    const { client } = await liar({
      '/api/files': (_, response) =>
        response.end(JSON.stringify({ files: [{ id: 'f' }], nextCursor: `c${page++ % length}` })),
    })
    await expect(readAll(listFiles(client))).rejects.toThrow(ProtocolError)
    await expect(readAll(listFiles(client).pages())).rejects.toThrow(ProtocolError)
    expect(page).toBeLessThan(80)
  })

  it('fails if a page names itself as the next page, also page by page', async () => {
    const { client, asked } = await liar({ '/api/files': { files: [{ id: 'f' }], nextCursor: 'c' } })
    await expect(listFiles(client, { cursor: 'c' }).page()).rejects.toThrow(ProtocolError)
    expect(asked).toHaveLength(1)
  })

  it('fails if the response to a password never ends or never comes', async () => {
    const { baseUrl } = await liar({ '/s/endless': endless(200, ' '), '/s/silent': () => {} })
    await expect(openLink(`${baseUrl}/s/endless`, { password: 'x' })).rejects.toThrow(ProtocolError)
    const silent = openLink(`${baseUrl}/s/silent`, { password: 'x', timeoutMs: 100 })
    await expect(silent).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  it('fails if folders contain each other', async () => {
    const folder = { kind: 'folder', files: [], folders: [{ path: 'a/' }], nextCursor: null }
    const { baseUrl } = await liar({ '/s/': folder })
    const { files } = await openLink(`${baseUrl}/s/token`)
    await expect(readAll(files())).rejects.toThrow(ProtocolError)
  })
})

describe('a wait', () => {
  it('ends with its deadline if nothing happens', async () => {
    const { client } = await liar({ '/api/files/f': record(1) })
    const waiting = waitFor(client, 'f', 'cold', { signal: AbortSignal.timeout(300) })
    await expect(waiting).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  it('reports an unavailable feed until the patience ends, and fails for a feed that repeats itself', async () => {
    const away = await liar({ '/api/webhooks/w/feed': (_, response) => response.writeHead(502).end('<html>') })
    const told: (Error | null)[] = []
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const onHeartbeat = ({ failure }: { failure: Error | null }) => {
      told.push(failure)
      vi.setSystemTime(Date.now() + 400)
    }
    const follow = async (client: typeof away.client, patienceMs: number) => {
      for await (const _ of followWebhook(client, 'w', { patienceMs, onHeartbeat }));
    }
    await expect(follow(away.client, 600)).rejects.toBeInstanceOf(ApiError)
    expect(told).toEqual([expect.any(ApiError), expect.any(ApiError)])
    const same = await liar({ '/api/webhooks/w/feed': { deliveries: [{ id: 'd', cursor: 'c' }], cursor: 'c' } })
    await expect(follow(same.client, 600)).rejects.toThrow(ProtocolError)
    const gone = await liar({})
    await expect(follow(gone.client, 60_000)).rejects.toMatchObject({ status: 404 })
  })
})
