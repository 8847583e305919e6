import type { ComponentChildren } from 'preact'

interface RowProps {
  title: ComponentChildren
  /** What can be done with it. */
  actions?: ComponentChildren
  children: ComponentChildren
}

/** One item of a `Listing`. */
export function Row({ title, actions, children }: RowProps) {
  return (
    <li class="card row">
      <div class="row-text">
        <h2>{title}</h2>
        {children}
      </div>
      {actions !== undefined && <div class="row-actions">{actions}</div>}
    </li>
  )
}
