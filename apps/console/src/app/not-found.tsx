import { Link } from 'wouter-preact'
import { text } from '../text/text.ts'
import { Empty } from '../ui/empty.tsx'

export function NotFound() {
  const t = text.value.app
  return (
    <Empty title={t.notFoundTitle} text={t.notFoundText}>
      <Link class="button" href="/">
        {t.toStart}
      </Link>
    </Empty>
  )
}
