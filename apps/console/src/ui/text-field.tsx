import type { TextareaHTMLAttributes } from 'preact'
import { useIssue } from './issues.ts'
import { Labelled } from './labelled.tsx'

interface TextFieldProps {
  label: string
  hint?: string | undefined
  error?: string | undefined
  input: TextareaHTMLAttributes<HTMLTextAreaElement>
}

/** A field of several lines. */
export function TextField({ input, error, ...labels }: TextFieldProps) {
  const issue = useIssue(input.name)
  return (
    <Labelled {...labels} error={error ?? issue}>
      {(attributes) => <textarea rows={3} spellcheck={false} {...attributes} {...input} />}
    </Labelled>
  )
}

/** The lines of such a field; null where nothing was typed. */
export function linesIn(fields: FormData, name: string): string[] | null {
  const lines = String(fields.get(name) ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines.length === 0 ? null : lines
}
