import type { ComponentChildren } from 'preact'
import { Link, useLocation } from 'wouter-preact'
import { useOverview } from '../../app/operator-access.ts'
import { text } from '../../text/text.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import './operator.css'

interface OperatorPageProps {
  lead: string
  /** What can be done here. */
  actions?: ComponentChildren
  children: ComponentChildren
}

/** What is around each page of operators. */
export function OperatorPage({ lead, actions, children }: OperatorPageProps) {
  const { isLoading } = useOverview({ isWatched: false })
  const t = text.value
  const [location] = useLocation()
  if (isLoading) return <Spinner />
  const tabs = {
    '/operator': t.operator.tabs.overview,
    '/operator/dead-letters': t.operator.tabs.deadLetters,
    '/operator/runs': t.operator.tabs.runs,
    '/operator/log': t.operator.tabs.log,
  }
  return (
    <>
      <PageHead title={t.nav.operator} lead={lead}>
        {actions}
      </PageHead>
      <nav class="tabs" aria-label={t.nav.operator}>
        {Object.entries(tabs).map(([path, label]) => (
          <Link key={path} href={path} class="bar-page" aria-current={location === path ? 'page' : undefined}>
            {label}
          </Link>
        ))}
      </nav>
      {children}
    </>
  )
}
