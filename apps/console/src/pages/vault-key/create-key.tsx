import { useMutation } from '@tanstack/preact-query'
import type { Vault } from '@tideport/sdk'
import { useState } from 'preact/hooks'
import { PrivateError } from '../../private/call-worker.ts'
import { createKey, suggestPassphrase } from '../../private/create-key.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { FormFields, submitted } from '../../ui/form-fields.tsx'
import { UnlockForm } from './unlock-form.tsx'

const LENGTH_MIN = 12

export function CreateKey({ vault }: { vault: Vault }) {
  const t = text.value.privacy
  const [wrong, setWrong] = useState<string | undefined>(undefined)
  const [suggested, setSuggested] = useState('')
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (passphrase: string) => createKey(vault.id, passphrase),
    meta: { toldByForm: true },
  })
  const submit = (fields: FormData) => {
    const passphrase = String(fields.get('passphrase'))
    if (passphrase.length < LENGTH_MIN) setWrong(t.tooShort(LENGTH_MIN))
    else if (passphrase !== fields.get('again')) setWrong(t.twoPassphrases)
    else {
      setWrong(undefined)
      mutate(passphrase)
    }
  }
  // The form is read-only while the key is derived.
  const secret = { type: 'password', required: true, autocomplete: 'new-password', readOnly: isPending } as const
  return (
    <div class="vault-key">
      <form
        class="card form"
        onInput={() => {
          setWrong(undefined)
          if (error !== null) reset()
        }}
        onSubmit={submitted((fields) => !isPending && submit(fields))}
      >
        <h2>{t.createTitle}</h2>
        <p>{t.createText}</p>
        <p class="vault-key-warning">
          <strong>{t.lossTitle}</strong> {t.lossText}
        </p>
        <FormFields
          fields={[
            { name: 'passphrase', label: t.passphrase, hint: t.passphraseHint, error: wrong, ...secret },
            { name: 'again', label: t.again, ...secret },
          ]}
        />
        <p role="status">{suggested !== '' && t.suggested(suggested)}</p>
        <label class="choice">
          <input type="checkbox" required />
          <span>{t.understood}</span>
        </label>
        <p class="form-error" role="alert">
          {error !== null && (error instanceof PrivateError && error.failure === 'has_key' ? t.hasKey : t.failed)}
        </p>
        <div class="form-end">
          <Button onClick={() => setSuggested(suggestPassphrase())} text={t.suggest} />
          <Button type="submit" look="main" busy={isPending} text={t.create} />
        </div>
      </form>
      <details class="card">
        <summary>{t.haveKey}</summary>
        <UnlockForm vaultId={vault.id} />
      </details>
    </div>
  )
}
