import { ApiError } from '@tideport/sdk'
import { Link } from 'wouter-preact'
import { describeError } from '../api/describe-error.ts'
import { text } from '../text/text.ts'
import { Button } from './button.tsx'
import { PageHead } from './page-head.tsx'

export function FailedPage({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const t = text.value.app
  if (error instanceof ApiError && error.status === 404) {
    return (
      <PageHead title={t.goneTitle} lead={t.goneText}>
        <Link class="button" href="/">
          {t.toStart}
        </Link>
      </PageHead>
    )
  }
  return (
    <PageHead title={t.failedTitle} lead={describeError(error)}>
      <Button onClick={onRetry}>{t.retry}</Button>
    </PageHead>
  )
}
