import { CopyButton } from './copy-button.tsx'

/** A line of a list of facts; `copies`: an id or digest, which somebody may want elsewhere. */
export function Value({ label, value, copies = false }: { label: string; value: string; copies?: boolean }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {copies ? <code>{value}</code> : <bdi>{value}</bdi>}
        {copies && <CopyButton what={label} value={value} />}
      </dd>
    </div>
  )
}
