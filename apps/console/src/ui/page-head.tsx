import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { text } from '../text/text.ts'
import { shown } from '../text/visible.ts'

export function PageHead({ title, lead, children }: { title: string; lead?: string; children?: ComponentChildren }) {
  useEffect(() => {
    document.title = `${shown(title)} · ${text.value.app.name}`
  }, [title])
  return (
    <div class="page-head">
      <div>
        <h1>{title}</h1>
        {lead !== undefined && <p class="lead">{lead}</p>}
      </div>
      <div class="page-actions">{children}</div>
    </div>
  )
}
