import type { ComponentChildren } from 'preact'
import { FailedPage } from './failed-page.tsx'
import { Failure } from './failure.tsx'
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
