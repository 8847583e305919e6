import type { InputHTMLAttributes, TextareaHTMLAttributes } from 'preact'
import { useId } from 'preact/hooks'
import { Labelled, type Labels, useIssue } from './labelled.tsx'

export type FieldProps = Labels & Omit<InputHTMLAttributes<HTMLInputElement>, 'label'>

export function Field({ label, hint, error, ...input }: FieldProps) {
  return (
    <Labelled label={label} hint={hint} error={error} name={input.name}>
      {(attributes) => <input {...attributes} {...input} />}
    </Labelled>
  )
}

export type TextFieldProps = Labels & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'label'>

export function TextField({ label, hint, error, ...input }: TextFieldProps) {
  return (
    <Labelled label={label} hint={hint} error={error} name={input.name}>
      {(attributes) => <textarea rows={3} spellcheck={false} {...attributes} {...input} />}
    </Labelled>
  )
}

export interface Choice {
  value: string
  label: string
  hint?: string
}

export const asChoices = (values: readonly string[]): Choice[] => values.map((value) => ({ value, label: value }))

export const choicesOf = <Value extends string>(
  values: readonly Value[],
  labels: Readonly<Record<Value, string>>,
): Choice[] => values.map((value) => ({ value, label: labels[value] }))

export interface SelectProps {
  label: string
  choices: readonly Choice[]
  name?: string
  value?: string
  onChange?: (value: string) => void
}

export function SelectField({ label, choices, name, value, onChange }: SelectProps) {
  return (
    <Labelled label={label} name={name}>
      {(attributes) => (
        <select {...attributes} name={name} onChange={(event) => onChange?.(event.currentTarget.value)}>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value} selected={choice.value === value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  )
}

export interface ChoicesProps {
  label: string
  hint?: string | undefined
  name: string
  choices: readonly Choice[]
  onChange?: (value: string) => void
}

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

export interface ChecksProps extends Omit<ChoicesProps, 'onChange'> {
  chosen?: readonly string[]
}

export function Checks({ label, hint, name, choices, chosen = [] }: ChecksProps) {
  const id = useId()
  const issue = useIssue(name)
  return (
    <fieldset class="checks">
      <legend>{label}</legend>
      {hint !== undefined && <p class="hint">{hint}</p>}
      <div class="checks-list">
        {choices.map(({ value, label: choice }) => (
          <Tick
            key={value}
            label={choice}
            name={name}
            value={value}
            defaultChecked={chosen.includes(value)}
            aria-invalid={issue !== undefined}
            aria-describedby={issue && id}
          />
        ))}
      </div>
      {issue !== undefined && (
        <p class="form-error" id={id}>
          {issue}
        </p>
      )}
    </fieldset>
  )
}

export type TickProps = { label: string } & Omit<InputHTMLAttributes<HTMLInputElement>, 'label'>

export function Tick({ label, ...input }: TickProps) {
  return (
    <label class="check">
      <input type="checkbox" {...input} />
      <span>{label}</span>
    </label>
  )
}
