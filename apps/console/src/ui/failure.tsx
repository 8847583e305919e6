import { describeError } from '../api/describe-error.ts'
import { text } from '../text/text.ts'
import { Button } from './button.tsx'
import { Empty } from './empty.tsx'

export function Failure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const t = text.value.app
  return (
    <Empty title={t.failedTitle} text={describeError(error)}>
      <Button onClick={onRetry}>{t.retry}</Button>
    </Empty>
  )
}
