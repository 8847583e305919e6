import { useSignal } from '@preact/signals'
import { text } from '../text/text.ts'
import { Button } from '../ui/button.tsx'
import { CopyField } from '../ui/copy-field.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { forgetSecret, type ShownSecret, shownSecrets } from '../ui/shown-secrets.ts'
import { useAskBeforeUnload } from '../ui/use-ask-before-unload.ts'

/** The secret that is shown now, if any. */
export function SecretDialogs() {
  const [secret] = shownSecrets.value
  return secret === undefined ? null : <SecretDialog key={secret.secret} shown={secret} />
}

/** A secret, shown this once. It does not go away before it was copied unless that is confirmed. */
function SecretDialog({ shown }: { shown: ShownSecret }) {
  const { title, label, secret, paragraphs } = shown
  const isCopied = useSignal(false)
  const isWarned = useSignal(false)
  const warn = () => {
    isWarned.value = true
  }
  const close = () => (isCopied.value || isWarned.value ? forgetSecret(shown) : warn())
  useAskBeforeUnload(!isCopied.value)
  return (
    // Whoever goes back may have meant the dialog: it stays, on the page before.
    <Dialog title={title} onClose={close} onLeft={() => (isCopied.value ? forgetSecret(shown) : warn())}>
      {paragraphs.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
      <CopyField
        label={label}
        value={secret}
        onCopied={() => {
          isCopied.value = true
        }}
      />
      <p class="form-error" role="alert">
        {isWarned.value && !isCopied.value ? text.value.lists.notCopied : ''}
      </p>
      <div class="form-end">
        <Button onClick={close}>{text.value.app.close}</Button>
      </div>
    </Dialog>
  )
}
