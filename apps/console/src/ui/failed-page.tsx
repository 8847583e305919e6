import { describeError } from '../api/describe-error.ts'
import { text } from '../text/text.ts'
import { Button } from './button.tsx'
import { PageHead } from './page-head.tsx'

/** In place of a page that could not be read. */
export function FailedPage({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const t = text.value.app
  return (
    <PageHead title={t.failedTitle} lead={describeError(error)}>
      <Button onClick={onRetry}>{t.retry}</Button>
    </PageHead>
  )
}
