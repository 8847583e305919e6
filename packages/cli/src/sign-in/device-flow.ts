import { setTimeout as wait } from 'node:timers/promises'
import type { Output } from '../terminal/output.ts'
import { askProvider, checkedUrl, NoAnswer } from './ask-provider.ts'
import { openBrowser } from './open-browser.ts'
import type { Provider } from './read-provider.ts'
import { ProviderError, requestTokens, type Tokens } from './request-tokens.ts'

const INTERVAL_SECONDS = 5
const LIFE_SECONDS_MAX = 1800

/** Signs in with a code for another device (RFC 8628). Rejects with a sentence if the code is refused or expires. */
export async function signInByDevice(provider: Provider, output: Output, signal: AbortSignal): Promise<Tokens> {
  const { clientId, scopes, parameters, deviceEndpoint, tokenEndpoint } = provider
  if (deviceEndpoint === null)
    throw new Error('The identity provider does not support sign-in with a code. Use --browser')
  const asked = { ...parameters, client_id: clientId, scope: scopes.join(' ') }
  const { status, body } = await askProvider(deviceEndpoint, asked, signal)
  if (typeof body.error === 'string') throw new ProviderError(body.error, body.error_description)
  const { device_code: deviceCode, user_code: userCode } = body
  if (status !== 200 || typeof deviceCode !== 'string' || typeof userCode !== 'string') {
    throw new Error(`The identity provider returned status ${status} without a code`)
  }
  const where = checkedUrl(body.verification_uri, 'The sign-in page of the identity provider')
  output.complaint([`Open ${where}`, `and enter the code ${userCode}`])
  if (output.isWatched && body.verification_uri_complete !== undefined) {
    openBrowser(checkedUrl(body.verification_uri_complete, 'The sign-in page of the identity provider'))
  }
  const grant = 'urn:ietf:params:oauth:grant-type:device_code'
  const form = { ...parameters, grant_type: grant, device_code: deviceCode, client_id: clientId }
  return await poll(() => requestTokens(tokenEndpoint, form, signal), body, signal)
}

async function poll(ask: () => Promise<Tokens>, body: Record<string, unknown>, signal: AbortSignal): Promise<Tokens> {
  const end = Date.now() + between(body.expires_in, 1, LIFE_SECONDS_MAX, LIFE_SECONDS_MAX) * 1000
  let seconds = between(body.interval, 1, 60, INTERVAL_SECONDS)
  for (;;) {
    if (Date.now() + seconds * 1000 > end) throw new Error('The code expired before it was entered. Log in again')
    await wait(seconds * 1000, undefined, { signal }).catch(() => signal.throwIfAborted())
    try {
      return await ask()
    } catch (error) {
      signal.throwIfAborted()
      const code = error instanceof ProviderError ? error.code : null
      const isWaiting = code === 'authorization_pending'
      if (!isWaiting && code !== 'slow_down' && !(error instanceof NoAnswer)) throw error
      // RFC 8628 §3.5. A provider that does not respond is also polled less often.
      if (!isWaiting) seconds = Math.min(60, seconds + 5)
    }
  }
}

function between(value: unknown, min: number, max: number, otherwise: number): number {
  const number = Number(value ?? otherwise)
  return Number.isFinite(number) ? Math.min(max, Math.max(min, number)) : otherwise
}
