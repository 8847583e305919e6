import { type ComponentChildren, createContext } from 'preact'
import { useContext, useId } from 'preact/hooks'
import { type Issue, isAbout } from '../api/describe-error.ts'

/** The issues of the last response. */
export const Issues = createContext<readonly Issue[]>([])

export interface Labels {
  label: string
  hint?: string | undefined
  error?: string | undefined
}

export function useIssue(name: unknown): string | undefined {
  const about = useContext(Issues).filter((issue) => typeof name === 'string' && isAbout(issue, name))
  return about.length === 0 ? undefined : [...new Set(about.map(({ message }) => message))].join(' ')
}

interface LabelledProps extends Labels {
  name: unknown
  children: (attributes: {
    id: string
    'aria-describedby': string | undefined
    'aria-invalid': boolean
  }) => ComponentChildren
}

export function Labelled({ label, hint, name, children, ...own }: LabelledProps) {
  const id = useId()
  const issue = useIssue(name)
  const error = own.error ?? issue
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
