import { type QueryKey, useMutation } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { describeError, type Issue, isAbout, issuesOf } from '../api/describe-error.ts'
import { queryClient } from '../api/query-client.ts'
import { text } from '../text/text.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { type FormField, FormFields, submitted } from './form-fields.tsx'
import { Issues } from './labelled.tsx'

export interface FormDialogProps<Answer> {
  title: string
  submit: string
  danger?: boolean
  text?: string | undefined
  fields?: readonly FormField[]
  children?: ComponentChildren
  run: (fields: FormData) => Promise<Answer>
  /** Queries to refetch. */
  changes?: QueryKey
  /**
   * Called when the dialog has closed, before `changes` are refetched: for secrets that only this response contains.
   */
  onAnswer?(answer: Answer): void
  /** Called when `changes` have been refetched and the dialog has closed. */
  onDone?(answer: Answer): void
  onClose: () => void
}

/** Thrown by `run` for an invalid value. */
export class WrongField extends Error {
  readonly issue: Issue
  constructor(path: string, message: string) {
    super(message)
    this.issue = { path, message }
  }
}

/** Shows each refusal at its field. The response is not cached. */
export function FormDialog<Answer>(props: FormDialogProps<Answer>) {
  const { title, submit, danger, fields = [], children, run, changes, onAnswer, onDone, onClose } = props
  const form = useRef<HTMLFormElement>(null)
  const { mutate, isPending, error } = useMutation({
    mutationFn: run,
    gcTime: 0,
    meta: { toldByForm: true },
    async onSuccess(answer) {
      if (onAnswer !== undefined) onClose()
      onAnswer?.(answer)
      if (changes !== undefined) await queryClient.invalidateQueries({ queryKey: changes })
      if (onAnswer === undefined) onClose()
      onDone?.(answer)
    },
  })
  const issues = error instanceof WrongField ? [error.issue] : issuesOf(error)
  const isTold = error === null || error instanceof WrongField
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(), [error])
  return (
    <Dialog title={title} onClose={onClose}>
      <form ref={form} class="form" onSubmit={submitted((fields) => !isPending && mutate(fields))}>
        {props.text !== undefined && <p>{props.text}</p>}
        <Issues.Provider value={issues}>
          <FormFields fields={fields} />
          {children}
        </Issues.Provider>
        <p class="form-error" role="alert">
          {isTold ? '' : describeError(error, issues.filter(isElsewhere(form.current)))}
        </p>
        <div class="form-end">
          <Button onClick={onClose} text={text.value.app.cancel} />
          <Button type="submit" look={danger ? 'danger' : 'main'} busy={isPending} text={submit} />
        </div>
      </form>
    </Dialog>
  )
}

const isElsewhere = (form: HTMLFormElement | null) => (issue: Issue) => {
  const fields = form?.querySelectorAll<HTMLInputElement>(':is(input, select, textarea)[aria-invalid]') ?? []
  return ![...fields].some(({ name }) => isAbout(issue, name))
}
