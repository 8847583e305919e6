import { useSignal } from '@preact/signals'
import { useMutation } from '@tanstack/preact-query'
import { describeError } from '../../api/describe-error.ts'
import { PrivateError } from '../../private/call-worker.ts'
import { readKeyFile } from '../../private/key-files.ts'
import { unlock } from '../../private/vault-lock.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'

/** An age file of one key has some hundred bytes; one for many people some thousand. */
const FILE_BYTES_MAX = 64 * 1024
const identity = /^AGE-SECRET-KEY-1\S+$/

/** Opens a vault's key: the file that this browser keeps, or another one. */
export function UnlockForm({ vaultId }: { vaultId: string }) {
  const t = text.value.privacy
  const kept = useSignal(readKeyFile(vaultId))
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (fields: FormData) => {
      const secret = String(fields.get('secret')).trim()
      const file = fields.get('file')
      const ageFile = kept.value ?? (await readText(file))
      await unlock(
        vaultId,
        ageFile,
        identity.test(secret) ? { identity: secret } : { passphrase: String(fields.get('secret')) },
      )
    },
    meta: { toldByForm: true },
  })
  return (
    <form
      class="card form vault-key"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isPending) mutate(new FormData(event.currentTarget))
      }}
    >
      <h2>{t.unlockTitle}</h2>
      <p>{kept.value === null ? t.unlockByFile : t.unlockText}</p>
      {kept.value === null && (
        <Field
          label={t.keyFile}
          hint={t.keyFileHint}
          input={{ name: 'file', type: 'file', accept: '.age,.txt', required: true }}
        />
      )}
      <Field
        label={t.secret}
        hint={t.secretHint}
        input={{ name: 'secret', type: 'password', required: true, autocomplete: 'current-password' }}
      />
      <p class="form-error" role="alert">
        {error === null ? '' : reasonOf(error)}
      </p>
      <div class="form-end">
        {kept.value !== null && (
          <Button
            onClick={() => {
              // The one that is kept may be the only one: it stays until another has opened the vault.
              kept.value = null
            }}
          >
            {t.otherFile}
          </Button>
        )}
        <Button type="submit" look="main" busy={isPending}>
          {t.unlock}
        </Button>
      </div>
    </form>
  )
}

async function readText(file: FormDataEntryValue | null): Promise<string> {
  if (!(file instanceof File) || file.size > FILE_BYTES_MAX) throw new PrivateError('decryption', 'No age file')
  return await file.text()
}

function reasonOf(error: unknown): string {
  return error instanceof PrivateError ? text.value.privacy.wrongSecret : describeError(error)
}
