import { useId } from 'preact/hooks'
import type { Choice } from './field.tsx'

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
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name} onChange={(event) => onChange?.(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === value}>
            {choice.label}
          </option>
        ))}
      </select>
    </div>
  )
}
