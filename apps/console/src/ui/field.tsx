import type { InputHTMLAttributes } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  label: string
  hint?: string | undefined
  error?: string | undefined
  input: InputHTMLAttributes<HTMLInputElement>
}

/** A field with its label, what to put there, and what is wrong with it. */
export function Field({ label, hint, error, input }: FieldProps) {
  const id = useId()
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} aria-describedby={described || undefined} aria-invalid={error !== undefined} {...input} />
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

export interface Choice {
  value: string
  label: string
  hint?: string
}

interface ChoicesProps {
  label: string
  hint?: string | undefined
  name: string
  choices: readonly Choice[]
  onChange?: (value: string) => void
}

/** One of several, all of them shown. */
export function Choices({ label, hint, name, choices, onChange }: ChoicesProps) {
  return (
    <fieldset class="choices">
      <legend>{label}</legend>
      {choices.map((choice, index) => (
        <label key={choice.value} class="choice">
          <input
            type="radio"
            name={name}
            value={choice.value}
            defaultChecked={index === 0}
            onChange={() => onChange?.(choice.value)}
          />
          <span>
            {choice.label}
            {choice.hint !== undefined && <span class="hint">{choice.hint}</span>}
          </span>
        </label>
      ))}
      {hint !== undefined && <p class="hint">{hint}</p>}
    </fieldset>
  )
}
