import { ApiError, type BeginSetUpAnswer, beginSetUp, completeSetUp, createClient } from '@tideport/sdk'
import { useEffect, useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { describeError } from '../../api/describe-error.ts'
import { apiUrl } from '../../base.ts'
import { checkAddress } from '../../pages/check/finding.ts'
import { showRecoveryCode } from '../../pages/passkeys/recovery-code.ts'
import { canUsePasskeysHere, createOwnerPasskey, NoPasskey, startOwnerSession } from '../../session/owner-session.ts'
import { waysIn } from '../../session/start-session.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { endedReason } from '../sign-in/ended-reason.ts'
import { ProviderButton } from '../sign-in/provider-button.tsx'

const client = createClient({ baseUrl: apiUrl.href, attempts: 2 })

/** Taken from the address, so that neither the history nor a screenshot shows the token. */
function takeToken(): string {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? ''
  history.replaceState(null, '', location.pathname)
  return token
}

/** Opened by the link in the log of the auth service. */
export function SetUpPage() {
  const t = text.value.owner
  const [, navigate] = useLocation()
  const [token, setToken] = useState(takeToken)
  const [begun, setBegun] = useState<BeginSetUpAnswer>()
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  const fail = (cause: unknown) => {
    if (cause instanceof NoPasskey) setError(t.noPasskey)
    else setError(cause instanceof ApiError && cause.code === 'not_found' ? t.linkBad : describeError(cause))
  }
  // A newer link that is opened in the same tab changes only the fragment, so the browser does not reload the page.
  useEffect(() => {
    const take = () => location.hash !== '' && setToken(takeToken())
    addEventListener('hashchange', take)
    return () => removeEventListener('hashchange', take)
  }, [])
  useEffect(() => {
    let isCurrent = true
    const onlyCurrent =
      <T,>(then: (value: T) => void) =>
      (value: T) => {
        if (isCurrent) then(value)
      }
    setBegun(undefined)
    setError(token === '' ? t.linkBad : undefined)
    if (token !== '') void beginSetUp(client, { token }).then(onlyCurrent(setBegun), onlyCurrent(fail))
    return () => {
      isCurrent = false
    }
  }, [token])

  async function complete(isWithPasskey: boolean): Promise<void> {
    if (isBusy) return
    setBusy(true)
    setError(undefined)
    try {
      // A challenge is valid for minutes, and people may read this page for longer.
      const { passkey: options } = isWithPasskey ? await beginSetUp(client, { token }) : { passkey: null }
      const passkey = options && (await createOwnerPasskey(options, t.firstPasskey))
      const { session, recoveryCode } = await completeSetUp(client, { token, passkey })
      startOwnerSession(session)
      navigate('/check', { replace: true })
      // Last, because the dialog has its own entry in the history.
      showRecoveryCode(recoveryCode)
    } catch (cause) {
      fail(cause)
    } finally {
      setBusy(false)
    }
  }
  return (
    <main class="sign-in">
      <span class="brand-mark" aria-hidden="true" />
      <h1>{t.setUpTitle}</h1>
      <p class="lead">{t.setUpLead}</p>
      <p class="form-error" role="alert">
        {error ?? endedReason()}
      </p>
      {begun && (
        <section class="card">
          <h2>{t.howTitle}</h2>
          <p>{t.howText}</p>
          <p class="hint">{checkAddress().text}</p>
          {begun.passkey && canUsePasskeysHere() ? (
            <Button look="main" busy={isBusy} onClick={() => void complete(true)} text={t.createPasskey} />
          ) : (
            <p class="hint">{t.passkeysElsewhere(begun.passkey && begun.publicUrl)}</p>
          )}
          <Button busy={isBusy} onClick={() => void complete(false)} text={t.onlyCode} />
        </section>
      )}
      {!begun && error !== undefined && (
        <Link class="button" href="/">
          {text.value.signIn.title}
        </Link>
      )}
      {begun && waysIn.identityProvider && <ProviderButton provider={waysIn.identityProvider} returnTo="./check" />}
    </main>
  )
}
