import { useId } from 'preact/hooks'

interface LinesFieldProps {
  label: string
  hint: string
  name: string
  placeholder?: string
}

/** A list, one item a line. */
export function LinesField({ label, hint, name, placeholder }: LinesFieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        name={name}
        rows={3}
        spellcheck={false}
        placeholder={placeholder}
        aria-describedby={`${id}-hint`}
      />
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  )
}

/** What was typed there; null where nothing was. */
export function linesIn(fields: FormData, name: string): string[] | null {
  const lines = String(fields.get(name) ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines.length === 0 ? null : lines
}
