import type { ComponentChildren, VNode } from 'preact'
import { Link } from 'wouter-preact'
import { Button } from './button.tsx'
import { Facts, type FactsProps } from './facts.tsx'

export type BadgeText = string | readonly [look: string, label: string] | VNode | null | false

/** `of` completes the accessible name: `Revoke: Backup`. */
export type RowAction = { label: string; of: string } & ({ run: () => void } | { href: string })

interface RowProps extends Partial<FactsProps> {
  title: ComponentChildren
  badges?: readonly BadgeText[]
  actions?: readonly (RowAction | false)[]
  class?: string
  children?: ComponentChildren
  more?: ComponentChildren
}

export function Row({ title, badges, facts, actions = [], children, more, ...rest }: RowProps) {
  const possible = actions.filter((action) => action !== false)
  return (
    <li class={`card row ${rest.class ?? ''}`}>
      <div class="row-text">
        <h2>{title}</h2>
        {badges !== undefined && <Badges badges={badges} />}
        {children}
        {facts !== undefined && <Facts facts={facts} />}
        {more}
      </div>
      {possible.length > 0 && (
        <div class="row-actions">
          {possible.map((action) => (
            <Action key={action.label} {...action} />
          ))}
        </div>
      )}
    </li>
  )
}

function Action({ label, of, ...action }: RowAction) {
  const full = `${label}: ${of}`
  if ('run' in action) return <Button label={full} onClick={action.run} text={label} />
  return (
    <Link class="button" href={action.href} aria-label={full}>
      {label}
    </Link>
  )
}

export function Badges({ badges }: { badges: readonly BadgeText[] }) {
  return (
    <p class="badges">
      {badges.map((badge) => {
        if (badge === null || badge === false) return null
        if (typeof badge === 'object' && 'type' in badge) return badge
        const [look, label] = typeof badge === 'string' ? ['', badge] : badge
        return (
          <span key={label} class={`badge ${look}`}>
            {label}
          </span>
        )
      })}
    </p>
  )
}
