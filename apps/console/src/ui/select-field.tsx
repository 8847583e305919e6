import type { Choice } from './field.tsx'
import { useIssue } from './issues.ts'
import { Labelled } from './labelled.tsx'

interface SelectFieldProps {
  label: string
  choices: readonly Choice[]
  name?: string
  /** The one that is chosen; without `onChange`, at first. */
  value?: string
  onChange?: (value: string) => void
}

/** One of several, of which the chosen one is shown. */
export function SelectField({ label, choices, name, value, onChange }: SelectFieldProps) {
  return (
    <Labelled label={label} error={useIssue(name)}>
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
