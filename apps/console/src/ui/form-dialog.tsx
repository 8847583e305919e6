import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { describeError } from '../api/describe-error.ts'
import { type Issue, isAbout, issuesOf } from '../api/issues.ts'
import { text } from '../text/text.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Issues } from './issues.ts'

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

/** A dialog that asks for something, and tells beside it, and beside each field, why it could not be done. */
export function FormDialog({ title, submit, danger, busy, error, onSubmit, onClose, children }: FormDialogProps) {
  const form = useRef<HTMLFormElement>(null)
  const issues = issuesOf(error)
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(), [error])
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        ref={form}
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy) onSubmit(new FormData(event.currentTarget))
        }}
      >
        <Issues.Provider value={issues}>{children}</Issues.Provider>
        <p class="form-error" role="alert">
          {error == null ? '' : describeError(error, issues.filter(isElsewhere(form.current)))}
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

/** Those of no field that tells its own. */
const isElsewhere = (form: HTMLFormElement | null) => (issue: Issue) => {
  const fields = form?.querySelectorAll<HTMLInputElement>(':is(input, select, textarea)[aria-invalid]') ?? []
  return ![...fields].some(({ name }) => isAbout(issue, name))
}
