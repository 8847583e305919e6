import { Link } from 'wouter-preact'
import { text } from '../text/text.ts'
import { PageHead } from '../ui/page-head.tsx'

export function NotFound() {
  const t = text.value.app
  return (
    <PageHead title={t.notFoundTitle} lead={t.notFoundText}>
      <Link class="button" href="/">
        {t.toStart}
      </Link>
    </PageHead>
  )
}
