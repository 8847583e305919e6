import type { ComponentChildren } from 'preact'

export interface ButtonProps {
  text?: string
  /** An icon or markup instead of `text`. */
  children?: ComponentChildren
  onClick?: (event: MouseEvent) => void
  look?: 'normal' | 'main' | 'danger' | 'quiet' | 'bare'
  type?: 'button' | 'submit'
  /** Ignores clicks. */
  busy?: boolean
  /** The accessible name. */
  label?: string
  keys?: string
  class?: string
  'aria-expanded'?: boolean
  'aria-controls'?: string
}

export function Button({ text, children = text, onClick, look = 'normal', busy, label, keys, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={`button button-${look} ${rest.class ?? ''}`}
      aria-disabled={busy}
      aria-busy={busy}
      aria-label={label}
      title={label}
      onClick={(event) => {
        if (busy) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {children}
      {keys !== undefined && (
        <span class="key" aria-hidden="true">
          {keys}
        </span>
      )}
    </button>
  )
}
