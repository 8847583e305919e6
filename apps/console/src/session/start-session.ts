import type { SignIn } from '@tideport/sdk'
import { consoleUrl } from '../base.ts'
import { isAnswer, takeAnswer } from './authorization.ts'
import { ProviderRefusal, recallTokenEndpoint, UntrustedAnswer } from './provider.ts'
import { providerSession, renewTokens } from './provider-session.ts'
import { ended, forget, type Kept, keep, readKept, session } from './session.ts'

/** Resumes the session after a reload, or handles the provider's redirect. */
export async function startSession(): Promise<void> {
  try {
    const provider = waysIn.identityProvider
    if (provider !== null && isAnswer()) {
      const { tokens, returnTo } = await takeAnswer(provider)
      session.value = providerSession(provider, tokens)
      history.replaceState(null, '', new URL(returnTo, consoleUrl))
    } else {
      session.value = await resume(readKept())
    }
  } catch (error) {
    ended.value = reasonOf(error)
  }
}

async function resume(kept: Kept | null) {
  const { identityProvider, development } = waysIn
  if (kept?.kind === 'key') return kept
  if (kept?.kind === 'development' && development) return kept
  if (kept?.kind !== 'provider' || identityProvider === null) return null
  try {
    recallTokenEndpoint(kept.from)
    const tokens = await renewTokens(identityProvider, kept.refreshToken)
    return providerSession(identityProvider, { refresh_token: kept.refreshToken, ...tokens })
  } catch (error) {
    // Only a refusal by the provider ends the session. After an outage, a reload resumes the session.
    if (error instanceof ProviderRefusal) forget()
    else keep({ ...kept, from: null })
    throw error
  }
}

function reasonOf(error: unknown): typeof ended.value {
  if (error instanceof UntrustedAnswer) return 'untrusted'
  // The refresh token has expired.
  if (error instanceof ProviderRefusal && error.code === 'invalid_grant') return 'session'
  return error instanceof ProviderRefusal ? { refused: error.code } : 'failed'
}

/** Part of the page, so that the sign-in page needs no request. */
export const waysIn: SignIn = JSON.parse(
  document.querySelector<HTMLMetaElement>('meta[name="tideport-sign-in"]')?.content ?? '',
)
