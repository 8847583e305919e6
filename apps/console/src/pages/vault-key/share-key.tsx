import { useMutation } from '@tanstack/preact-query'
import type { Vault } from '@tideport/sdk'
import { keyFileName, saveText } from '../../kept/key-files.ts'
import { callWorker } from '../../private/call-worker.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'

/** The same key for somebody else, as an age file that only they can open. */
export function ShareKey({ vault }: { vault: Vault }) {
  const t = text.value.privacy
  const { mutate, isPending, isError } = useMutation({
    mutationFn: (recipient: string) => callWorker('seal', { vaultId: vault.id, to: { recipient } }),
    meta: { toldByForm: true },
    onSuccess: (ageFile) => saveText(`shared-${keyFileName(vault)}`, ageFile),
  })
  return (
    <form
      class="card form"
      onSubmit={(event) => {
        event.preventDefault()
        mutate(String(new FormData(event.currentTarget).get('recipient')).trim())
      }}
    >
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
        <Button type="submit" busy={isPending}>
          {t.share}
        </Button>
      </div>
    </form>
  )
}
