import { useSignal } from '@preact/signals'
import { useMutation } from '@tanstack/preact-query'
import type { Vault } from '@tideport/sdk'
import { PrivateError } from '../../private/call-worker.ts'
import { createKey } from '../../private/create-key.ts'
import { suggestPassphrase } from '../../private/suggest-passphrase.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { UnlockForm } from './unlock-form.tsx'

const LENGTH_MIN = 12

/** Makes the vault's key. What happens if it is lost is said before there is anything to lose. */
export function CreateKey({ vault }: { vault: Vault }) {
  const t = text.value.privacy
  const wrong = useSignal<string | undefined>(undefined)
  const suggested = useSignal('')
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (passphrase: string) => createKey(vault.id, passphrase),
    meta: { toldByForm: true },
  })
  const submit = (fields: FormData) => {
    const passphrase = String(fields.get('passphrase'))
    if (passphrase.length < LENGTH_MIN) wrong.value = t.tooShort(LENGTH_MIN)
    else if (passphrase !== fields.get('again')) wrong.value = t.twoPassphrases
    else {
      wrong.value = undefined
      mutate(passphrase)
    }
  }
  // While the key is made of the passphrase nothing else can be typed, which nobody would read.
  return (
    <div class="vault-key">
      <form
        class="card form"
        onInput={() => {
          wrong.value = undefined
          if (error !== null) reset()
        }}
        onSubmit={(event) => {
          event.preventDefault()
          if (!isPending) submit(new FormData(event.currentTarget))
        }}
      >
        <h2>{t.createTitle}</h2>
        <p>{t.createText}</p>
        <p class="vault-key-warning">
          <strong>{t.lossTitle}</strong> {t.lossText}
        </p>
        <Field
          label={t.passphrase}
          hint={t.passphraseHint}
          error={wrong.value}
          input={{
            name: 'passphrase',
            type: 'password',
            required: true,
            autocomplete: 'new-password',
            readOnly: isPending,
          }}
        />
        <Field
          label={t.again}
          input={{ name: 'again', type: 'password', required: true, autocomplete: 'new-password', readOnly: isPending }}
        />
        <p role="status">{suggested.value !== '' && t.suggested(suggested.value)}</p>
        <label class="choice">
          <input type="checkbox" required />
          <span>{t.understood}</span>
        </label>
        <p class="form-error" role="alert">
          {error !== null && (error instanceof PrivateError && error.failure === 'has_key' ? t.hasKey : t.failed)}
        </p>
        <div class="form-end">
          <Button
            onClick={() => {
              suggested.value = suggestPassphrase()
            }}
          >
            {t.suggest}
          </Button>
          <Button type="submit" look="main" busy={isPending}>
            {t.create}
          </Button>
        </div>
      </form>
      <details class="card">
        <summary>{t.haveKey}</summary>
        <UnlockForm vaultId={vault.id} />
      </details>
    </div>
  )
}
