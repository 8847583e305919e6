import { useSignal } from '@preact/signals'
import { useLocation } from 'wouter-preact'
import { noteSaved, saveRecovery, unsavedKey } from '../private/unsaved-key.ts'
import { text } from '../text/text.ts'
import { isolated } from '../text/visible.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useAskBeforeUnload } from '../ui/use-ask-before-unload.ts'

/** Warns whoever leaves a new key's page before its recovery file was saved: on each page, and when the tab is closed. */
export function UnsavedKeyDialog() {
  const { value: vault } = unsavedKey
  const [location] = useLocation()
  const dismissedAt = useSignal<string | null>(null)
  useAskBeforeUnload(vault !== null)
  if (vault === null || location === `/vaults/${vault.id}/key` || location === dismissedAt.value) return null
  const t = text.value.privacy
  const close = () => {
    dismissedAt.value = location
  }
  return (
    // Whoever goes on to another page is warned there.
    <Dialog title={t.unsavedTitle} onClose={close} onLeft={() => {}}>
      <div class="form">
        <p>{t.unsavedText(isolated(vault.name))}</p>
        <div class="form-end">
          <Button onClick={close}>{t.saveLater}</Button>
          <Button onClick={() => noteSaved(vault.id)}>{t.haveRecovery}</Button>
          <Button look="main" onClick={() => saveRecovery(vault)}>
            {t.saveRecovery}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
