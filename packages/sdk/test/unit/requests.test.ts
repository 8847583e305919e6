import { describe, expect, it } from 'vitest'
import {
  ApiError,
  type ClientOptions,
  createApiKey,
  createClient,
  createVault,
  type KnownError,
  listFiles,
  NetworkError,
  NotFoundError,
  PreconditionFailedError,
  QuotaExceededError,
  readAccount,
  readFile,
  updateVault,
  ValidationFailedError,
} from '../../src/tideport.ts'

type Answer = { status: number; body?: unknown; headers?: Record<string, string> } | 'no answer'

/** A client whose requests get the responses of the list in order, and the requests. */
function clientOf(answers: Answer[], options: Partial<ClientOptions> = {}) {
  const sent: { url: string; init: RequestInit; headers: Headers }[] = []
  const client = createClient({
    baseUrl: 'https://files.example/base/',
    ...(!options.bearerToken && { apiKey: 'tdp_secret' }),
    ...options,
    fetch: async (url, init) => {
      sent.push({ url, init, headers: new Headers(init.headers) })
      const answer = answers[Math.min(sent.length, answers.length) - 1] as Answer
      if (answer === 'no answer') throw new TypeError('fetch failed')
      const { status, body = {}, headers = {} } = answer
      return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })
    },
  })
  return { client, sent }
}

const busy: Answer = {
  status: 429,
  body: { error: 'Slow down', code: 'rate_limited' },
  headers: { 'retry-after': '0' },
}
const down: Answer = { status: 503, body: { error: 'Down', code: 'unavailable' }, headers: { 'retry-after': '0' } }
const ok: Answer = { status: 200, body: { id: 'x' } }

describe('a call', () => {
  it('sends its conditions, and rejects with the current ETag', async () => {
    const body = { error: 'Changed', code: 'precondition_failed', details: { etag: '"b"' } }
    const { client, sent } = clientOf([{ status: 412, body }])
    const error = await readFile(client, { fileId: 'x' }, { ifMatch: '"a"', ifNoneMatch: '*' }).catch(
      (thrown) => thrown,
    )
    expect(['if-match', 'if-none-match'].map((name) => sent[0]?.headers.get(name))).toEqual(['"a"', '*'])
    expect(error).toBeInstanceOf(PreconditionFailedError)
    expect(error).toMatchObject({ details: { etag: '"b"' } })
  })

  it.each(['\n', '\r\n', ' ', '\t', '\ufeff'])('removes %j around a credential and the base URL', async (blank) => {
    const around = (text: string) => blank + text + blank + blank
    for (const by of [
      { apiKey: around('tdp_a') },
      { apiKey: undefined, bearerToken: around('tdp_a') },
      { apiKey: undefined, bearerToken: async () => around('tdp_a') },
    ]) {
      const { client, sent } = clientOf([ok], { baseUrl: around('https://files.example/base/'), ...by })
      await readAccount(client)
      expect(sent[0]?.url).toBe('https://files.example/base/api/account')
      expect(sent[0]?.headers.get('authorization')).toBe('Bearer tdp_a')
    }
  })

  it('puts its input into path, query, and body, and sends the credentials', async () => {
    const { client, sent } = clientOf([ok, { status: 200, body: { files: [], nextCursor: null } }])
    await updateVault(client, { vaultId: 'a/b', name: 'Häfen' })
    await listFiles(client, { vaultId: 'v', status: ['hot', 'cold'], trashed: true }).page()
    expect(sent.map(({ url }) => url)).toEqual([
      'https://files.example/base/api/vaults/a%2Fb',
      'https://files.example/base/api/files?vaultId=v&status=hot&status=cold&trashed=true',
    ])
    expect(sent[0]?.init).toMatchObject({ method: 'PATCH', body: '{"name":"Häfen"}' })
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer tdp_secret')
  })

  it('is sent again with a new token after a rejection, whatever it does', async () => {
    const refused: Answer = { status: 401, body: { error: 'No', code: 'unauthenticated' } }
    const asked: unknown[] = []
    const bearerToken = async (_: AbortSignal, before?: string) => {
      asked.push(before)
      return before === undefined ? 'old' : 'new'
    }
    const sentAs = (sent: ReturnType<typeof clientOf>['sent']) => sent.map(({ init, headers }) => [headers.get('authorization'), init.body]) // biome-ignore format: one claim
    const { client, sent } = clientOf([refused, ok], { bearerToken, attempts: 1 })
    await updateVault(client, { vaultId: 'v', name: 'a' })
    expect(sentAs(sent)).toEqual([['Bearer old', '{"name":"a"}'], ['Bearer new', '{"name":"a"}']]) // biome-ignore format: one claim
    const never = clientOf([refused], { bearerToken })
    await expect(readAccount(never.client)).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(never.sent).toHaveLength(2)
    expect(asked).toEqual([undefined, 'old', undefined, 'old'])
    for (const options of [{ bearerToken: () => 'same' }, { bearerToken: 'text' }, {}]) {
      const once = clientOf([refused], options)
      await expect(readAccount(once.client)).rejects.toMatchObject({ code: 'unauthenticated' })
      expect(once.sent).toHaveLength(1)
    }
    // The response does not come from Tideport.
    const proxy = clientOf([{ status: 401, body: 'Sign in' }], { bearerToken })
    await expect(readAccount(proxy.client)).rejects.toThrow(ApiError)
    expect(proxy.sent).toHaveLength(1)
  })

  it('cannot be redirected to another path by its input', async () => {
    const { client, sent } = clientOf([ok])
    await expect(readFile(client, { fileId: '..' })).rejects.toThrow(TypeError)
    expect(sent).toEqual([])
  })

  type Ask = (client: ReturnType<typeof createClient>) => Promise<unknown>
  const makeKey: Ask = (client) => createApiKey(client, { name: 'K' })
  const later: Answer = { ...(down as object), status: 503, headers: { 'retry-after': '120' } }

  it.each<[string, Answer[], Ask, number]>([
    [
      'after an outage, a lost response, and a rate limit, if it is safe to repeat',
      ['no answer', down, busy, ok],
      readAccount,
      4,
    ],
    ['after a rate limit, even if it is not safe to repeat', [busy, ok], makeKey, 2],
  ])('is repeated %s', async (_, answers, ask, times) => {
    const { client, sent } = clientOf(answers)
    await expect(ask(client)).resolves.toEqual({ id: 'x' })
    expect(sent).toHaveLength(times)
  })

  it.each<[string, Answer, Ask]>([
    ['after an outage if it is not safe to repeat', down, makeKey],
    ['after a lost response if it is not safe to repeat', 'no answer', makeKey],
    ['after an error if it is not safe to repeat', { status: 500, body: { error: 'E', code: 'internal' } }, makeKey],
    ['if waiting does not help', { status: 429, body: { error: 'Full', code: 'too_many_open_uploads' } }, readAccount],
    ['if the wait is longer than the caller allows', later, readAccount],
    ['after a 404 response', { status: 404, body: { error: 'No', code: 'not_found' } }, readAccount],
  ])('is not repeated %s', async (_, answer, ask) => {
    const { client, sent } = clientOf([answer, ok])
    await expect(ask(client)).rejects.toThrow()
    expect(sent).toHaveLength(1)
  })

  it('is repeated with the same idempotency key where the endpoint accepts one', async () => {
    const { client, sent } = clientOf(['no answer', down, ok])
    await createVault(client, { name: 'A', visibility: 'public' })
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'))
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^.{36}$/)
  })

  it('rejects with the last error after its attempts', async () => {
    const { client, sent } = clientOf(['no answer'], { attempts: 2 })
    await expect(readAccount(client)).rejects.toThrow(NetworkError)
    expect(sent).toHaveLength(2)
  })

  it('stops with the signal, even during the wait for a retry', async () => {
    const { client, sent } = clientOf([{ ...(down as object), status: 503, headers: { 'retry-after': '30' } }])
    const abort = new AbortController()
    const calling = readAccount(client, {}, { signal: abort.signal })
    const reason = new Error('enough')
    setTimeout(() => abort.abort(reason), 20)
    await expect(calling).rejects.toBe(reason)
    expect(sent).toHaveLength(1)
  })
})

describe('an error', () => {
  it('has the class of its code and all fields of the response', async () => {
    const body = { error: 'There is no such file', code: 'not_found', details: { a: 1 } }
    const { client } = clientOf([{ status: 404, body, headers: { 'x-request-id': 'r-1' } }])
    const error = await readFile(client, { fileId: 'f' }).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(NotFoundError)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      name: 'NotFoundError',
      message: body.error,
      status: 404,
      code: 'not_found',
      details: { a: 1 },
      requestId: 'r-1',
    })
  })

  it('lists the fault of each field in its message, and ignores malformed faults', async () => {
    const sayings: [issues: unknown, told: string][] = [
      [[{ path: 'name', message: 'Is empty' }, { path: 'a.b', message: 'Is no date' }], ' (name: Is empty; a.b: Is no date)'],
      [[null, 7], ' (undefined: undefined; undefined: undefined)'],
      [[], ''],
      ['name', ''],
    ] // biome-ignore format: a row each
    for (const [issues, told] of sayings) {
      const body = { error: 'The request body is not valid', code: 'validation_failed', details: { issues } }
      const { client } = clientOf([{ status: 400, body }])
      const error = await createVault(client, { name: '', visibility: 'public' }).catch((thrown) => thrown)
      expect(error).toMatchObject({ constructor: ValidationFailedError, sentence: body.error, details: body.details })
      expect(error.message).toBe(body.error + told)
    }
  })

  it('has typed details by its class and by its code', async () => {
    const details = { quotaBytes: 5, storageBytes: 4 }
    const { client } = clientOf([{ status: 403, body: { error: 'Full', code: 'quota_exceeded', details } }])
    const error = (await createVault(client, { name: '', visibility: 'public' }).catch(
      (thrown) => thrown,
    )) as KnownError
    const byClass: number | undefined = error instanceof QuotaExceededError ? error.details?.quotaBytes : undefined
    const byCode: number | undefined = error.code === 'quota_exceeded' ? error.details?.storageBytes : undefined
    expect([byClass, byCode]).toEqual([5, 4])
    // @ts-expect-error: details of another code
    expect(error.code === 'path_taken' && error.details?.quotaBytes).toBe(false)
    for (const nonsense of [7, 'x', true, null]) {
      const body = { error: 'Full', code: 'quota_exceeded', details: nonsense }
      await expect(readAccount(clientOf([{ status: 403, body }]).client)).rejects.toMatchObject({ details: null })
    }
  })

  it('with an unknown code is an ApiError with that code', async () => {
    const { client } = clientOf([{ status: 409, body: { error: 'New', code: 'brand_new' } }])
    await expect(readAccount(client)).rejects.toMatchObject({ constructor: ApiError, code: 'brand_new' })
  })

  it('of a proxy has no code, and does not quote the response', async () => {
    for (const status of [200, 404]) {
      const { client } = clientOf([{ status, body: '<html>whsec_secret</html>' }])
      const error = await readAccount(client).catch((thrown) => thrown)
      expect(error).toMatchObject({ constructor: ApiError, code: null, status })
      expect(String(error.stack) + JSON.stringify(error)).not.toContain('whsec')
    }
  })
})

describe('a list', () => {
  const pages: Answer[] = [
    { status: 200, body: { files: [{ id: '1' }, { id: '2' }], nextCursor: 'c1' } },
    { status: 200, body: { files: [], nextCursor: 'c2' } },
    { status: 200, body: { files: [{ id: '3' }], nextCursor: null } },
  ]

  it('yields every item of every page, even of short and empty pages', async () => {
    const { client, sent } = clientOf(pages)
    const ids: string[] = []
    for await (const { id } of listFiles(client, { limit: 2 })) ids.push(id)
    expect(ids).toEqual(['1', '2', '3'])
    expect(sent.map(({ url }) => new URL(url).search)).toEqual(['?limit=2', '?limit=2&cursor=c1', '?limit=2&cursor=c2'])
  })

  it('requests no page before it is needed', async () => {
    const { client, sent } = clientOf(pages)
    for await (const _ of listFiles(client)) break
    expect(sent).toHaveLength(1)
  })
})

describe('a client', () => {
  it('does not reveal its secret when printed', () => {
    const { client } = clientOf([ok])
    expect(JSON.stringify(client) + Object.values(client).map(String).join()).not.toContain('tdp_secret')
  })

  it('rejects invalid options', async () => {
    expect(() => createClient({ baseUrl: 'ftp://files.example' })).toThrow(TypeError)
    expect(() => createClient({ baseUrl: 'https://a.example', apiKey: 'a', bearerToken: 'b' })).toThrow(TypeError)
    expect(() => createClient({ baseUrl: process.env.TIDEPORT_NO_SUCH_SETTING as string })).toThrow(
      new TypeError('baseUrl must be an http or https URL, but is undefined'),
    )
    // A key instead of the base URL.
    expect(() => createClient({ baseUrl: 'tdp_secret' })).toThrow(new TypeError('baseUrl must be an http or https URL'))
    await expect(readAccount(createClient({ baseUrl: 'https://a.example', apiKey: 'a\nb' }))).rejects.toThrow(
      /credential/,
    )
  })
})
