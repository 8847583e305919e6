import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { text } from '../text/text.ts'
import { Button } from './button.tsx'
import { CopyField } from './copy-field.tsx'
import { Dialog } from './dialog.tsx'

interface SecretDialogProps {
  title: string
  label: string
  secret: string
  onClose: () => void
  /** What it is for, and that it is not shown again. */
  children: ComponentChildren
}

/** A secret, shown this once. It does not go away before it was copied unless that is confirmed. */
export function SecretDialog({ title, label, secret, onClose, children }: SecretDialogProps) {
  const t = text.value.lists
  const isCopied = useSignal(false)
  const isWarned = useSignal(false)
  const close = () => {
    if (isCopied.value || isWarned.value) onClose()
    else isWarned.value = true
  }
  return (
    <Dialog title={title} onClose={close}>
      {children}
      <CopyField
        label={label}
        value={secret}
        onCopied={() => {
          isCopied.value = true
        }}
      />
      <p class="form-error" role="alert">
        {isWarned.value && !isCopied.value ? t.notCopied : ''}
      </p>
      <div class="form-end">
        <Button onClick={close}>{text.value.app.close}</Button>
      </div>
    </Dialog>
  )
}
