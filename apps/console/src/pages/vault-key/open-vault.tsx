import type { Vault } from '@tideport/sdk'
import { keyFileName, readKeyFile, saveText } from '../../private/key-files.ts'
import { lock } from '../../private/vault-lock.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Passkey } from './passkey.tsx'
import { ShareKey } from './share-key.tsx'

/** What can be done while the key is open. */
export function OpenVault({ vault, isNew }: { vault: Vault; isNew: boolean }) {
  const t = text.value.privacy
  const ageFile = readKeyFile(vault.id)
  return (
    <div class="vault-key">
      <section class="card" aria-label={t.openTitle}>
        <h2>{t.openTitle}</h2>
        <p role="status">{isNew ? t.madeText : t.openText}</p>
        <div class="form-end">
          <Button onClick={lock}>{t.lock}</Button>
          {ageFile !== null && (
            <Button look={isNew ? 'main' : 'normal'} onClick={() => saveText(keyFileName(vault), ageFile)}>
              {t.saveRecovery}
            </Button>
          )}
        </div>
        <p class="hint">{t.recoveryHint}</p>
      </section>
      {ageFile !== null && <Passkey vault={vault} />}
      <ShareKey vault={vault} />
    </div>
  )
}
