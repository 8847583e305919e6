import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Output } from '../terminal/output.ts'
import { openBrowser } from './open-browser.ts'
import type { Provider } from './read-provider.ts'
import { ProviderError, requestTokens, type Tokens } from './request-tokens.ts'

/** Signs in through a browser and a local port (RFC 8252, PKCE). Rejects with a sentence if sign-in is refused. */
export async function signInByBrowser(provider: Provider, output: Output, signal: AbortSignal): Promise<Tokens> {
  const { clientId, scopes, parameters, authorizationEndpoint, tokenEndpoint } = provider
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(32).toString('base64url')
  await using receiver = await receiveCode(provider, state, signal)
  const url = new URL(authorizationEndpoint)
  const asked = {
    ...parameters,
    response_type: 'code',
    client_id: clientId,
    redirect_uri: receiver.redirectUri,
    scope: scopes.join(' '),
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
  output.complaint(['Sign in at', url.href])
  if (output.isWatched) openBrowser(url.href)
  const form = {
    ...parameters,
    grant_type: 'authorization_code',
    code: await receiver.code,
    redirect_uri: receiver.redirectUri,
    client_id: clientId,
    code_verifier: verifier,
  }
  return await requestTokens(tokenEndpoint, form, signal)
}

const PATIENCE_MS = 10 * 60_000

/** Listens on localhost. Ignores requests without the right `state`; rejects another issuer (RFC 9207). */
async function receiveCode({ issuer, namesIssuer }: Provider, state: string, signal: AbortSignal) {
  const { promise: code, resolve, reject } = Promise.withResolvers<string>()
  code.catch(() => {})
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const answer = url.searchParams
    const isOurs = request.method === 'GET' && url.pathname === '/callback' && isSame(answer.get('state') ?? '', state)
    const text = isOurs ? 'You can close this page and return to the terminal.' : 'This page does not exist.'
    response.writeHead(isOurs ? 200 : 400, headers).end(`<!doctype html><meta charset="utf-8"><p>${text}`)
    if (!isOurs) return
    const iss = answer.get('iss')
    if (iss === null ? namesIssuer : iss !== issuer)
      return reject(new Error('The response is from another identity provider'))
    const error = answer.get('error')
    if (error !== null) return reject(new ProviderError(error, answer.get('error_description')))
    const given = answer.get('code')
    return given === null ? reject(new Error('The identity provider returned no code')) : resolve(given)
  })
  const either = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
  const onAbort = () => reject(signal.aborted ? signal.reason : new Error('The sign-in timed out. Log in again'))
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
