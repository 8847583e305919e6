import { useSignal } from '@preact/signals'
import { useMutation } from '@tanstack/preact-query'
import { useRef } from 'preact/hooks'
import { describeError } from '../../api/describe-error.ts'
import { keepPasskeyFile, readKeyFile, readPasskeyFile } from '../../kept/key-files.ts'
import { PrivateError } from '../../private/call-worker.ts'
import { passkeyPort } from '../../private/passkey.ts'
import { unlock } from '../../private/vault-lock.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { FormFields, submitted } from '../../ui/form-fields.tsx'
import { passkeyFailure, useCanUsePasskeys } from './passkey.tsx'

/** An age file for one recipient has a few hundred bytes. */
const FILE_BYTES_MAX = 64 * 1024
const identity = /^AGE-SECRET-KEY-1\S+$/

/** Opens the vault with the kept key file or another one, by passphrase, identity, or passkey. */
export function UnlockForm({ vaultId }: { vaultId: string }) {
  const t = text.value.privacy
  const form = useRef<HTMLFormElement>(null)
  const kept = useSignal(readKeyFile(vaultId))
  const canUsePasskeys = useCanUsePasskeys()
  // Input since the last attempt began.
  const since = useRef({ isEdited: false, isEntered: false })
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn(ask: (fields: FormData) => Promise<void>) {
      since.current = { isEdited: false, isEntered: false }
      return ask(new FormData(form.current ?? undefined))
    },
    meta: { toldByForm: true },
    onError() {
      const { isEdited, isEntered } = since.current
      // The error refers to a secret that the user has changed in the meantime.
      if (isEdited) reset()
      if (isEdited && isEntered) mutate(bySecret)
    },
  })
  const edit = () => {
    since.current = { isEdited: true, isEntered: false }
    if (error !== null) reset()
  }
  const bySecret = async (fields: FormData) => {
    const secret = String(fields.get('secret'))
    const by = identity.test(secret.trim()) ? { identity: secret.trim() } : { passphrase: secret }
    await unlock(vaultId, kept.value ?? (await readText(fields.get('file'))), by)
  }
  const byPasskey = async (fields: FormData) => {
    const picked = fields.get('file')
    const own = picked instanceof File && picked.size > 0 ? null : readPasskeyFile(vaultId)
    const file = own ?? { credentialId: null, ageFile: await readText(picked) }
    await unlock(vaultId, file.ageFile, { passkey: passkeyPort(file.credentialId) })
    if (own === null) keepPasskeyFile(vaultId, file)
  }
  const keyFile = { type: 'file', accept: '.age,.txt', required: true } as const
  const secret = { type: 'password', required: true, autocomplete: 'current-password' } as const
  return (
    <form
      ref={form}
      class="card form vault-key"
      onInput={edit}
      onSubmit={submitted(() => !isPending && mutate(bySecret))}
      onKeyDown={({ key }) => {
        // The button submits nothing while it is busy.
        if (key === 'Enter' && isPending) since.current.isEntered = true
      }}
    >
      <h2>{t.unlockTitle}</h2>
      <p>{kept.value === null ? t.unlockByFile : t.unlockText}</p>
      <FormFields
        fields={[
          ...(kept.value === null ? [{ name: 'file', label: t.keyFile, hint: t.keyFileHint, ...keyFile }] : []),
          { name: 'secret', label: t.secret, hint: t.secretHint, ...secret },
        ]}
      />
      <p class="form-error" role="alert">
        {error === null ? '' : reasonOf(error)}
      </p>
      <div class="form-end">
        {kept.value !== null && (
          <Button
            onClick={() => {
              // The kept file may be the only copy. It stays until another one has opened the vault.
              kept.value = null
            }}
            text={t.otherFile}
          />
        )}
        {canUsePasskeys && (kept.value === null || readPasskeyFile(vaultId) !== null) && (
          <Button busy={isPending} onClick={() => mutate(byPasskey)} text={t.openByPasskey} />
        )}
        <Button type="submit" look="main" busy={isPending} text={t.unlock} />
      </div>
    </form>
  )
}

async function readText(file: FormDataEntryValue | null): Promise<string> {
  if (!(file instanceof File) || file.size > FILE_BYTES_MAX)
    throw new PrivateError('decryption', 'The file is not an age file')
  return await file.text()
}

function reasonOf(error: unknown): string {
  if (!(error instanceof PrivateError)) return describeError(error)
  const isOfPasskey = error.failure === 'declined' || error.failure === 'no_prf'
  return isOfPasskey ? passkeyFailure(error) : text.value.privacy.wrongSecret
}
