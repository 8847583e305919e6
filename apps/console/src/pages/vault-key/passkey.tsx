import { useMutation } from '@tanstack/preact-query'
import type { Vault } from '@tideport/sdk'
import { useEffect, useState } from 'preact/hooks'
import { forgetPasskeyFile, passkeyFileName, readPasskeyFile, saveText } from '../../kept/key-files.ts'
import { PasskeyError } from '../../private/ask-page.ts'
import { PrivateError } from '../../private/call-worker.ts'
import { addPasskey, canUsePasskeys } from '../../private/passkey.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'

/** The page first explains that a passkey never replaces the passphrase. */
export function Passkey({ vault }: { vault: Vault }) {
  const t = text.value.privacy
  const [file, setFile] = useState(readPasskeyFile(vault.id))
  const canUse = useCanUsePasskeys()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => addPasskey(vault),
    meta: { toldByForm: true },
    onSuccess: setFile,
  })
  if (file === null && !canUse) return null
  return (
    <section class="card" aria-label={t.passkeyTitle}>
      <h2>{t.passkeyTitle}</h2>
      <p role="status">{file === null ? t.passkeyText : t.passkeyKept}</p>
      <p class="vault-key-warning">{t.passkeyLoss}</p>
      <p class="form-error" role="alert">
        {error === null ? '' : passkeyFailure(error)}
      </p>
      <div class="form-end">
        {file === null ? (
          <Button busy={isPending} onClick={() => mutate()} text={t.addPasskey} />
        ) : (
          <>
            <Button
              onClick={() => {
                forgetPasskeyFile(vault.id)
                setFile(null)
              }}
              text={t.forgetPasskey}
            />
            <Button onClick={() => saveText(passkeyFileName(vault), file.ageFile)} text={t.savePasskeyFile} />
          </>
        )}
      </div>
    </section>
  )
}

export function passkeyFailure(error: unknown): string {
  const t = text.value.privacy
  const reason = error instanceof PasskeyError ? error.reason : error instanceof PrivateError ? error.failure : 'other'
  if (reason === 'no_prf') return t.passkeyNoPrf
  return reason === 'declined' ? t.passkeyDeclined : t.passkeyWrong
}

export function useCanUsePasskeys(): boolean {
  const [can, setCan] = useState(false)
  useEffect(() => {
    void canUsePasskeys().then(setCan)
  }, [])
  return can
}
