import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { useAccess } from '../api/operator-access.ts'
import type { PageProps } from '../pages/page-props.ts'
import { FailedPage } from '../ui/failed-page.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { NotFound } from './not-found.tsx'
import { NotLoaded } from './not-loaded.tsx'
import type { Page } from './pages.ts'

/** A page, for whom there is such a page: pages of operators are requested by nobody else. */
export function PageView({ page, params }: PageProps & { page: Page }) {
  return page.isForOperators ? <OperatorView page={page} params={params} /> : <LoadedPage page={page} params={params} />
}

function OperatorView({ page, params }: PageProps & { page: Page }) {
  const { data, error, isEnabled, refetch } = useAccess()
  if (isEnabled && data === undefined)
    return error === null ? <Spinner /> : <FailedPage error={error} onRetry={() => void refetch()} />
  return data?.isOperator ? <LoadedPage page={page} params={params} /> : <NotFound />
}

/** A page, once its program is here. */
function LoadedPage({ page, params }: PageProps & { page: Page }) {
  const loaded = useSignal<ComponentType<PageProps> | 'failed' | null>(null)
  useEffect(() => {
    page.ask?.(params)
    page.load().then(
      (module) => {
        loaded.value = module.default
      },
      () => {
        loaded.value = 'failed'
      },
    )
  }, [page, loaded])
  const View = loaded.value
  if (View === null) return <Spinner />
  if (View === 'failed') return <NotLoaded />
  return <View params={params} />
}
