import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface LabelledProps {
  label: string
  hint?: string | undefined
  error?: string | undefined
  /** What is labelled, which takes these as its attributes. */
  children: (attributes: {
    id: string
    'aria-describedby': string | undefined
    'aria-invalid': boolean
  }) => ComponentChildren
}

/** A field's label, what to put there, and what is wrong with it. */
export function Labelled({ label, hint, error, children }: LabelledProps) {
  const id = useId()
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error !== undefined })}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p class="form-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}
