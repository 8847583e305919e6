import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLocation, useSearch } from 'wouter-preact'
import { leaveToSignIn } from '../../session/authorization.ts'
import { type IdentityProvider, UntrustedAnswer } from '../../session/provider.ts'
import { ended } from '../../session/session.ts'
import { waysIn } from '../../session/ways-in.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { DevelopmentForm } from './development-form.tsx'
import { KeyForm } from './key-form.tsx'

export function SignInPage() {
  const t = text.value.signIn
  const { identityProvider, development } = waysIn
  return (
    <main class="sign-in">
      <span class="brand-mark" aria-hidden="true" />
      <h1>{t.title}</h1>
      <p class="lead">{t.lead}</p>
      <p class="form-error" role="alert">
        {reason(t)}
      </p>
      {identityProvider && <ProviderButton provider={identityProvider} />}
      {development && (
        <Way title={t.developmentTitle} hint={t.developmentHint}>
          <DevelopmentForm />
        </Way>
      )}
      <Way title={t.keyTitle} hint={identityProvider || development ? undefined : t.noWay}>
        <KeyForm />
      </Way>
    </main>
  )
}

function Way({ title, hint, children }: { title: string; hint?: string | undefined; children: ComponentChildren }) {
  return (
    <section class="card">
      <h2>{title}</h2>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {children}
    </section>
  )
}

function ProviderButton({ provider }: { provider: IdentityProvider }) {
  const t = text.value.signIn
  const busy = useSignal(false)
  const [location] = useLocation()
  const search = useSearch()
  const leave = async () => {
    busy.value = true
    ended.value = null
    try {
      // Relative to the console, so that it leads nowhere else.
      await leaveToSignIn(provider, `.${location}${search && `?${search}`}`)
    } catch (error) {
      ended.value = error instanceof UntrustedAnswer ? 'untrusted' : 'failed'
      busy.value = false
    }
  }
  return (
    <section class="card">
      <Button look="main" busy={busy.value} onClick={() => void leave()}>
        {t.provider}
      </Button>
      <p class="hint">{t.providerAt(new URL(provider.issuer).host)}</p>
    </section>
  )
}

function reason(t: typeof text.value.signIn): string {
  const { value } = ended
  if (value === null) return ''
  if (typeof value === 'object') return t.refused(value.refused)
  return { session: t.ended, failed: t.failed, untrusted: t.untrusted }[value]
}
