import { createClient, signInWithRecoveryCode } from '@tideport/sdk'
import { useState } from 'preact/hooks'
import { describeError } from '../../api/describe-error.ts'
import { apiUrl } from '../../base.ts'
import { showRecoveryCode } from '../../pages/passkeys/recovery-code.ts'
import { canUsePasskeysHere, NoPasskey, signInByPasskey, startOwnerSession } from '../../session/owner-session.ts'
import { waysIn } from '../../session/start-session.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { submitted, typedIn } from '../../ui/form-fields.tsx'

export function OwnerForm() {
  const t = text.value.owner
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const client = createClient({ baseUrl: apiUrl.href, attempts: 2 })

  async function attempt(signIn: () => Promise<void>): Promise<void> {
    if (isBusy) return
    setBusy(true)
    setError(undefined)
    try {
      await signIn()
    } catch (cause) {
      setError(cause instanceof NoPasskey ? t.noPasskey : describeError(cause))
    } finally {
      setBusy(false)
    }
  }
  async function recover(recoveryCode: string): Promise<void> {
    const answer = await signInWithRecoveryCode(client, { recoveryCode })
    showRecoveryCode(answer.recoveryCode)
    startOwnerSession(answer.session)
  }
  return (
    <>
      {canUsePasskeysHere() ? (
        <Button
          look="main"
          busy={isBusy}
          onClick={() => void attempt(() => signInByPasskey(client))}
          text={t.usePasskey}
        />
      ) : (
        <p class="hint">{t.passkeysElsewhere(waysIn.passkeyOrigin)}</p>
      )}
      <form class="form" onSubmit={submitted((fields) => void attempt(() => recover(typedIn(fields, 'code'))))}>
        <Field
          label={t.recoveryCode}
          hint={t.recoveryCodeHint}
          error={error}
          name="code"
          required
          autocomplete="off"
          spellcheck={false}
        />
        <div class="form-end">
          <Button type="submit" busy={isBusy} text={t.useRecoveryCode} />
        </div>
      </form>
    </>
  )
}
