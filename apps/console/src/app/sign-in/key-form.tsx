import { useSignal } from '@preact/signals'
import { ApiError, createClient, readAccount } from '@tideport/sdk'
import { describeError } from '../../api/describe-error.ts'
import { apiUrl } from '../../base.ts'
import { signInAs } from '../../session/session.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'

/** An API key, for this tab. One that may not read the account is good as well. */
export function KeyForm() {
  const t = text.value.signIn
  const busy = useSignal(false)
  const error = useSignal<string | undefined>(undefined)

  async function tryKey(key: string): Promise<void> {
    busy.value = true
    error.value = undefined
    try {
      await readAccount(createClient({ baseUrl: apiUrl.href, apiKey: key, attempts: 2 }))
      signInAs({ kind: 'key', key })
    } catch (cause) {
      if (cause instanceof ApiError && cause.status === 403) return signInAs({ kind: 'key', key })
      error.value = cause instanceof ApiError && cause.status === 401 ? t.keyBad : describeError(cause)
    } finally {
      busy.value = false
    }
  }
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        const key = String(new FormData(event.currentTarget).get('key')).trim()
        if (busy.value) return
        if (/^tdp_[\x21-\x7e]+$/.test(key)) void tryKey(key)
        else error.value = t.keyShape
      }}
    >
      <Field
        label={t.key}
        hint={t.keyHint}
        error={error.value}
        name="key"
        type="password"
        required
        autocomplete="off"
        spellcheck={false}
      />
      <div class="form-end">
        <Button type="submit" busy={busy.value}>
          {t.useKey}
        </Button>
      </div>
    </form>
  )
}
