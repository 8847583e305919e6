import type { Vault } from '@tideport/sdk'
import { useState } from 'preact/hooks'
import { readKeyFile } from '../../kept/key-files.ts'
import { noteSaved, saveRecovery, unsavedKey } from '../../private/unsaved-key.ts'
import { lock } from '../../private/vault-lock.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Passkey } from './passkey.tsx'
import { ShareKey } from './share-key.tsx'

/** What can be done while the key is open. A new key's recovery file is to be saved before anything else. */
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
          <Button onClick={lock}>{t.lock}</Button>
          {isUnsaved && <Button onClick={() => noteSaved(vault.id)}>{t.haveRecovery}</Button>}
          {hasFile && (
            <Button look={isUnsaved ? 'main' : 'normal'} onClick={save}>
              {t.saveRecovery}
            </Button>
          )}
        </div>
        <p class="hint">{t.recoveryHint}</p>
      </section>
      {hasFile && <Passkey vault={vault} />}
      <ShareKey vault={vault} />
    </div>
  )
}
