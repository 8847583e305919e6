import { useMutation } from '@tanstack/preact-query'
import type { Vault } from '@tideport/sdk'
import { useState } from 'preact/hooks'
import { keyFileName, readKeyFile, saveText } from '../../kept/key-files.ts'
import { callWorker } from '../../private/call-worker.ts'
import { noteSaved, saveRecovery, unsavedKey } from '../../private/unsaved-key.ts'
import { lock } from '../../private/vault-lock.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { submitted, typedIn } from '../../ui/form-fields.tsx'
import { Passkey } from './passkey.tsx'

export function OpenVault({ vault }: { vault: Vault }) {
  const t = text.value.privacy
  const hasFile = readKeyFile(vault.id) !== null
  const [isSaved, setSaved] = useState(false)
  const isUnsaved = hasFile && unsavedKey.value?.id === vault.id
  const save = () => {
    saveRecovery(vault)
    setSaved(true)
  }
  return (
    <div class="vault-key">
      <section class="card" aria-label={t.openTitle}>
        <h2>{t.openTitle}</h2>
        <p role="status" class={isUnsaved ? 'vault-key-warning' : undefined}>
          {isUnsaved ? t.madeText : isSaved ? t.savedText : t.openText}
        </p>
        <div class="form-end">
          <Button onClick={lock} text={t.lock} />
          {isUnsaved && <Button onClick={() => noteSaved(vault.id)} text={t.haveRecovery} />}
          {hasFile && <Button look={isUnsaved ? 'main' : 'normal'} onClick={save} text={t.saveRecovery} />}
        </div>
        <p class="hint">{t.recoveryHint}</p>
      </section>
      {hasFile && <Passkey vault={vault} />}
      <ShareKey vault={vault} />
    </div>
  )
}

function ShareKey({ vault }: { vault: Vault }) {
  const t = text.value.privacy
  const { mutate, isPending, isError } = useMutation({
    mutationFn: (recipient: string) => callWorker('seal', { vaultId: vault.id, to: { recipient } }),
    meta: { toldByForm: true },
    onSuccess: (ageFile) => saveText(`shared-${keyFileName(vault)}`, ageFile),
  })
  return (
    <form class="card form" onSubmit={submitted((fields) => mutate(typedIn(fields, 'recipient')))}>
      <h2>{t.shareTitle}</h2>
      <p>{t.shareText}</p>
      <Field
        label={t.recipient}
        hint={t.recipientHint}
        error={isError ? t.recipientWrong : undefined}
        name="recipient"
        required
        autocomplete="off"
        spellcheck={false}
        pattern="\s*age1[a-z0-9]+\s*"
      />
      <div class="form-end">
        <Button type="submit" busy={isPending} text={t.share} />
      </div>
    </form>
  )
}
