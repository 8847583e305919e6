import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'

/** Omits null values. `copied` adds a button that copies the value. */
export type Value = readonly [label: string, value: string | null, copied?: 'copied'] | false

export function Values({ values }: { values: readonly Value[] }) {
  return (
    <dl class="file-values">
      {values.map((one) => {
        if (one === false || one[1] === null) return null
        const [label, value, isCopied] = one
        return (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {isCopied ? <code>{value}</code> : <bdi>{value}</bdi>}
              {isCopied && <CopyButton what={label} value={value} />}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

/** Pages on plain HTTP have no clipboard, so they have no button. */
function CopyButton({ what, value }: { what: string; value: string }) {
  const t = text.value.app
  const [isDone, setDone] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(value)
    setDone(true)
    setTimeout(() => setDone(false), 2_000)
  }
  if (!('clipboard' in navigator)) return null
  const label = isDone ? t.copied : t.copy
  return (
    <Button class="file-copy-button" label={`${label}: ${what}`} onClick={() => void copy()}>
      <span role="status">{label}</span>
    </Button>
  )
}

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
