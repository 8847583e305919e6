import { useSignal } from '@preact/signals'
import { useLocation } from 'wouter-preact'
import { isLeaving, noteSaved, saveRecovery, unsavedKey } from '../private/unsaved-key.ts'
import { text } from '../text/text.ts'
import { isolated } from '../text/visible.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useAskBeforeUnload } from '../ui/use-ask-before-unload.ts'
import { signOutNow } from './sign-out.ts'

/** Shown on every other page, on sign-out, and when the tab is closed. */
export function UnsavedKeyDialog() {
  const { value: vault } = unsavedKey
  const [location] = useLocation()
  const dismissedAt = useSignal<string | null>(null)
  useAskBeforeUnload(vault !== null)
  if (vault === null) return null
  const isLeft = location !== `/vaults/${vault.id}/key` && location !== dismissedAt.value
  if (!isLeft && !isLeaving.value) return null
  const t = text.value.privacy
  const close = () => {
    if (isLeaving.value) isLeaving.value = false
    else dismissedAt.value = location
  }
  const thenLeave = (run: () => void) => () => {
    const mayLeave = isLeaving.peek()
    run()
    if (mayLeave) void signOutNow()
  }
  return (
    // The next page shows the warning again.
    <Dialog title={t.unsavedTitle} onClose={close} onLeft={() => {}}>
      <div class="form">
        <p>{t.unsavedText(isolated(vault.name))}</p>
        <div class="form-end">
          <Button onClick={thenLeave(close)} text={t.saveLater} />
          <Button onClick={thenLeave(() => noteSaved(vault.id))} text={t.haveRecovery} />
          <Button look="main" onClick={thenLeave(() => saveRecovery(vault))} text={t.saveRecovery} />
        </div>
      </div>
    </Dialog>
  )
}
