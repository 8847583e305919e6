import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Provider } from './read-provider.ts'
import { ProviderError } from './request-tokens.ts'

const PATIENCE_MS = 10 * 60_000

/** Listens on localhost. Ignores requests without the right `state`; rejects another issuer (RFC 9207). */
export async function receiveCode({ issuer, namesIssuer }: Provider, state: string, signal: AbortSignal) {
  const { promise: code, resolve, reject } = Promise.withResolvers<string>()
  code.catch(() => {})
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const answer = url.searchParams
    const isOurs = request.method === 'GET' && url.pathname === '/callback' && isSame(answer.get('state') ?? '', state)
    const text = isOurs
      ? 'You can close this page and go back to the terminal.'
      : 'This is not the page that was asked for.'
    response.writeHead(isOurs ? 200 : 400, headers).end(`<!doctype html><meta charset="utf-8"><p>${text}`)
    if (!isOurs) return
    const iss = answer.get('iss')
    if (iss === null ? namesIssuer : iss !== issuer)
      return reject(new Error('The answer is of another identity provider'))
    const error = answer.get('error')
    if (error !== null) return reject(new ProviderError(error, answer.get('error_description')))
    const given = answer.get('code')
    return given === null ? reject(new Error('The identity provider gave no code')) : resolve(given)
  })
  const either = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
  const onAbort = () => reject(signal.aborted ? signal.reason : new Error('Nobody signed in in time'))
  either.addEventListener('abort', onAbort, { once: true })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    code,
    [Symbol.asyncDispose]: async () => {
      either.removeEventListener('abort', onAbort)
      server.close()
      server.closeAllConnections()
    },
  }
}

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'",
  'referrer-policy': 'no-referrer',
  connection: 'close',
}

const digest = (text: string) => createHash('sha256').update(text).digest()
const isSame = (a: string, b: string) => timingSafeEqual(digest(a), digest(b))
