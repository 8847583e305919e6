import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

export function Section({
  title,
  action,
  children,
}: {
  title: string
  action?: ComponentChildren
  children: ComponentChildren
}) {
  const id = useId()
  return (
    <section class="card" aria-labelledby={id}>
      <div class="file-section-head">
        <h2 id={id}>{title}</h2>
        {action}
      </div>
      {children}
    </section>
  )
}
