import type { ServerResponse } from 'node:http'
import { formatApiKey } from '@tideport/contracts/public/api-key-format'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { request, startGateway } from '../bundle.ts'
import { startUpstream } from '../start-upstream.ts'

const principal = JSON.stringify({ kind: 'account', accountId: crypto.randomUUID(), method: 'api_key', scopes: null })
const revoked = JSON.stringify({ error: 'The API key has been revoked', code: 'api_key_revoked' })
const stack = new AsyncDisposableStack()
let auth: Awaited<ReturnType<typeof startUpstream>>
let url: string

beforeAll(async () => {
  auth = stack.use(await startUpstream())
  const files = stack.use(await startUpstream())
  const gateway = stack.use(await startGateway({ AUTH_URL: auth.url, FILES_URL: files.url, RATE_LIMIT_BURST: '1000' }))
  url = `${gateway.url}/api/vaults`
})
afterAll(() => stack.disposeAsync())

/** A key that this gateway knows, so that its requests do not stand in line as newcomers. */
async function knownKey(): Promise<string> {
  const bearer = formatApiKey(crypto.getRandomValues(new Uint8Array(32)))
  auth.answerWith((_request, response) => response.end(principal))
  expect((await request(url, { bearer })).status).toBe(200)
  return bearer
}

it('a request never gets the answer to a question about its key that was sent before it came (spec §5.5)', async () => {
  const bearer = await knownKey()
  const held: ServerResponse[] = []
  auth.answerWith((_request, response) => void held.push(response))
  const early = request(url, { bearer })
  await waitFor(() => held.length === 1)
  // From here on the key is revoked; the answer that is under way does not know.
  const late = Array.from({ length: 5 }, () => request(url, { bearer }))
  await waitFor(() => held.length > 1)
  auth.answerWith((_request, response) => response.writeHead(401).end(revoked))
  held[0]?.end(principal)
  for (const response of held.slice(1)) response.writeHead(401).end(revoked)
  expect((await early).status).toBe(200)
  for (const { status, body } of await Promise.all(late)) expect([status, body.code]).toEqual([401, 'api_key_revoked'])
})

it('many requests at once with one key ask auth much less often', async () => {
  const bearer = await knownKey()
  const before = auth.seen.length
  const answers = await Promise.all(Array.from({ length: 200 }, () => request(url, { bearer })))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(auth.seen.length - before).toBeLessThan(150)
})
