import { ApiError } from '@tideport/sdk'
import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import { describeError } from '../api/describe-error.ts'
import { text } from '../text/text.ts'
import { Button } from './button.tsx'
import { Empty } from './empty.tsx'
import { PageHead } from './page-head.tsx'
import { Spinner } from './spinner.tsx'

interface LoadedProps<Data> {
  query: { data: Data | undefined; error: unknown; isPending: boolean; refetch: () => unknown }
  isPage?: boolean
  children: (data: Data) => ComponentChildren
}

export function Loaded<Data>({ query, isPage = false, children }: LoadedProps<Data>) {
  const { data, error, isPending, refetch } = query
  if (data !== undefined) return <>{children(data)}</>
  if (isPending) return <Spinner />
  const Failed = isPage ? FailedPage : Failure
  return <Failed error={error} onRetry={() => void refetch()} />
}

export function FailedPage({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const t = text.value.app
  if (error instanceof ApiError && error.status === 404) return <Missing title={t.goneTitle} text={t.goneText} />
  return (
    <PageHead title={t.failedTitle} lead={describeError(error)}>
      <Button onClick={onRetry} text={t.retry} />
    </PageHead>
  )
}

export const NotFound = () => <Missing title={text.value.app.notFoundTitle} text={text.value.app.notFoundText} />

function Missing({ title, text: lead }: { title: string; text: string }) {
  return (
    <PageHead title={title} lead={lead}>
      <Link class="button" href="/">
        {text.value.app.toStart}
      </Link>
    </PageHead>
  )
}

export function Failure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const t = text.value.app
  return (
    <Empty title={t.failedTitle} text={describeError(error)}>
      <Button onClick={onRetry} text={t.retry} />
    </Empty>
  )
}
