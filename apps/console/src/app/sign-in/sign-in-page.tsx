import { ApiError, createClient, readAccount } from '@tideport/sdk'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter-preact'
import { describeError } from '../../api/describe-error.ts'
import { apiUrl } from '../../base.ts'
import { signInAs } from '../../session/session.ts'
import { waysIn } from '../../session/start-session.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { submitted, typedIn } from '../../ui/form-fields.tsx'
import { endedReason } from './ended-reason.ts'
import { OwnerForm } from './owner-form.tsx'
import { ProviderButton } from './provider-button.tsx'

export function SignInPage() {
  const t = text.value.signIn
  const { identityProvider, development } = waysIn
  const [path] = useLocation()
  const search = useSearch()
  return (
    <main class="sign-in">
      <span class="brand-mark" aria-hidden="true" />
      <h1>{t.title}</h1>
      <p class="lead">{t.lead}</p>
      <p class="form-error" role="alert">
        {endedReason()}
      </p>
      {identityProvider && (
        <ProviderButton provider={identityProvider} returnTo={`.${path}${search && `?${search}`}`} />
      )}
      {development && (
        <Way title={t.developmentTitle} hint={t.developmentHint}>
          <DevelopmentForm />
        </Way>
      )}
      {!development && (
        <Way title={text.value.owner.title}>
          <OwnerForm />
        </Way>
      )}
      <Way title={t.keyTitle}>
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

function DevelopmentForm() {
  const t = text.value.signIn
  return (
    <>
      <Button look="main" onClick={() => signInAs({ kind: 'development', providerId: null })} text={t.firstUser} />
      <form
        class="form"
        onSubmit={submitted((fields) => signInAs({ kind: 'development', providerId: typedIn(fields, 'name') }))}
      >
        {/* The name is sent in a header. */}
        <Field
          label={t.otherUser}
          hint={t.otherUserHint}
          name="name"
          required
          maxLength={200}
          pattern="[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?"
        />
        <div class="form-end">
          <Button type="submit" text={t.continueAs} />
        </div>
      </form>
    </>
  )
}

/** A key without permission to read the account is valid too. */
function KeyForm() {
  const { app, signIn: t } = text.value
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()

  async function tryKey(key: string): Promise<void> {
    if (!/^tdp_[\x21-\x7e]+$/.test(key)) return setError(t.keyShape)
    setBusy(true)
    setError(undefined)
    try {
      await readAccount(createClient({ baseUrl: apiUrl.href, apiKey: key, attempts: 2 }))
      signInAs({ kind: 'key', key })
    } catch (cause) {
      if (cause instanceof ApiError && cause.status === 403) return signInAs({ kind: 'key', key })
      setError(cause instanceof ApiError && cause.status === 401 ? t.keyBad : describeError(cause))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form class="form" onSubmit={submitted((fields) => !isBusy && void tryKey(typedIn(fields, 'key')))}>
      <Field
        label={app.apiKey}
        hint={t.keyHint}
        error={error}
        name="key"
        type="password"
        required
        autocomplete="off"
        spellcheck={false}
      />
      <div class="form-end">
        <Button type="submit" busy={isBusy} text={t.useKey} />
      </div>
    </form>
  )
}
