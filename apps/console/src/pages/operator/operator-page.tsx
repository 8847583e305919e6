import type { ComponentChildren } from 'preact'
import { Link, useLocation } from 'wouter-preact'
import { NotFound } from '../../app/not-found.tsx'
import { isNoOperator, useOverview } from '../../app/operator-access.ts'
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

/** What is around each page of operators. To everybody else there is no such page. */
export function OperatorPage({ lead, actions, children }: OperatorPageProps) {
  const { error, isLoading, isEnabled } = useOverview({ isWatched: false })
  const t = text.value
  const [location] = useLocation()
  if (isLoading) return <Spinner />
  if (!isEnabled || isNoOperator(error)) return <NotFound />
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
