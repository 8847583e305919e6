import { Link, useLocation } from 'wouter-preact'
import { text } from '../../text/text.ts'
import { PageHead } from '../../ui/page-head.tsx'

/** The heading of both logs, and the way from one to the other. */
export function AuditHead({ lead }: { lead: string }) {
  const t = text.value.audit
  const [location] = useLocation()
  const entries = { '/audit': t.account, '/audit/files': t.files }
  return (
    <>
      <PageHead title={t.title} lead={lead} />
      <nav class="tabs" aria-label={t.title}>
        {Object.entries(entries).map(([path, label]) => (
          <Link key={path} href={path} class="bar-page" aria-current={location === path ? 'page' : undefined}>
            {label}
          </Link>
        ))}
      </nav>
    </>
  )
}
