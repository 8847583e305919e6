import type { InputHTMLAttributes } from 'preact'
import { useIssue } from './issues.ts'
import { Labelled } from './labelled.tsx'

interface FieldProps {
  label: string
  hint?: string | undefined
  error?: string | undefined
  input: InputHTMLAttributes<HTMLInputElement>
}

/** A field of one line. */
export function Field({ input, error, ...labels }: FieldProps) {
  const issue = useIssue(input.name)
  return (
    <Labelled {...labels} error={error ?? issue}>
      {(attributes) => <input {...attributes} {...input} />}
    </Labelled>
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
