import type { ComponentChildren } from 'preact'
import { useOverview } from '../../api/operator-access.ts'
import { text } from '../../text/text.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { Tabs } from '../resource/resource-page.tsx'
import { ReleaseNotice } from './release-notice.tsx'
import './operator.css'

interface OperatorPageProps {
  lead: string
  actions?: ComponentChildren
  children: ComponentChildren
}

export function OperatorPage({ lead, actions, children }: OperatorPageProps) {
  const { isLoading } = useOverview({ isWatched: false })
  const t = text.value
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
      <ReleaseNotice />
      <Tabs label={t.nav.operator} tabs={tabs} />
      {children}
    </>
  )
}
