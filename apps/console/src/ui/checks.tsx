import { useId } from 'preact/hooks'
import type { Choice } from './field.tsx'
import { useIssue } from './issues.ts'

interface ChecksProps {
  label: string
  hint?: string | undefined
  name: string
  choices: readonly Choice[]
  /** Those that are chosen at first. */
  chosen?: readonly string[]
}

/** Any of several, all of them shown. */
export function Checks({ label, hint, name, choices, chosen = [] }: ChecksProps) {
  const id = useId()
  const issue = useIssue(name)
  return (
    <fieldset class="checks">
      <legend>{label}</legend>
      {hint !== undefined && <p class="hint">{hint}</p>}
      <div class="checks-list">
        {choices.map((choice) => (
          <label key={choice.value} class="check">
            <input
              type="checkbox"
              name={name}
              value={choice.value}
              defaultChecked={chosen.includes(choice.value)}
              aria-invalid={issue !== undefined}
              aria-describedby={issue && id}
            />
            <span>{choice.label}</span>
          </label>
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
