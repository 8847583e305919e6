import type { TextareaHTMLAttributes } from 'preact'
import { useId } from 'preact/hooks'

interface TextFieldProps {
  label: string
  hint?: string | undefined
  error?: string | undefined
  input: TextareaHTMLAttributes<HTMLTextAreaElement>
}

/** A field of several lines. */
export function TextField({ label, hint, error, input }: TextFieldProps) {
  const id = useId()
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea id={id} aria-describedby={described || undefined} aria-invalid={error !== undefined} {...input} />
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
