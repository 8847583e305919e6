import type { ComponentChildren } from 'preact'
import { describeError } from '../api/describe-error.ts'
import { text } from '../text/text.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

export interface FormDialogProps {
  title: string
  /** What the button that does it says. */
  submit: string
  danger?: boolean
  busy: boolean
  /** What it failed with last. */
  error: unknown
  onSubmit: (fields: FormData) => void
  onClose: () => void
  children: ComponentChildren
}

/** A dialog that asks for something, and tells beside it why it could not be done. */
export function FormDialog({ title, submit, danger, busy, error, onSubmit, onClose, children }: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy) onSubmit(new FormData(event.currentTarget))
        }}
      >
        {children}
        <p class="form-error" role="alert">
          {error == null ? '' : describeError(error)}
        </p>
        <div class="form-end">
          <Button onClick={onClose}>{text.value.app.cancel}</Button>
          <Button type="submit" look={danger ? 'danger' : 'main'} busy={busy}>
            {submit}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
