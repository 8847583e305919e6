import { createHash, randomBytes } from 'node:crypto'
import type { Output } from '../terminal/output.ts'
import { openBrowser } from './open-browser.ts'
import type { Provider } from './read-provider.ts'
import { receiveCode } from './receive-code.ts'
import { requestTokens, type Tokens } from './request-tokens.ts'

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
