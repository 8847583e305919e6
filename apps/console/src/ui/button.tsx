import type { ComponentChildren } from 'preact'

export interface ButtonProps {
  children: ComponentChildren
  onClick?: (event: MouseEvent) => void
  /** `bare` shows an icon only. */
  look?: 'normal' | 'main' | 'danger' | 'quiet' | 'bare'
  type?: 'button' | 'submit'
  disabled?: boolean | undefined
  /** Ignores clicks. */
  busy?: boolean | undefined
  /** The accessible name of an icon. */
  label?: string | undefined
  keys?: string | undefined
  expanded?: boolean | undefined
  controls?: string | undefined
  class?: string | undefined
}

export function Button({ children, look = 'normal', type = 'button', busy, label, keys, ...rest }: ButtonProps) {
  const { onClick, disabled, expanded, controls } = rest
  return (
    <button
      class={`button button-${look} ${rest.class ?? ''}`}
      type={type}
      disabled={disabled}
      aria-disabled={busy}
      aria-busy={busy}
      aria-label={label}
      title={label}
      aria-expanded={expanded}
      aria-controls={controls}
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
