import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { readPage } from '../api/newer-build.ts'
import { useAccess } from '../api/operator-access.ts'
import type { PageProps } from '../pages/page-props.ts'
import { text } from '../text/text.ts'
import { Button } from '../ui/button.tsx'
import { FailedPage, NotFound } from '../ui/loaded.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Spinner } from '../ui/spinner.tsx'
import type { Page } from './pages.ts'

export const PageView = ({ page, params }: PageProps & { page: Page }) =>
  page.isForOperators ? <OperatorView page={page} params={params} /> : <LoadedPage page={page} params={params} />

function OperatorView({ page, params }: PageProps & { page: Page }) {
  const { data, error, isEnabled, refetch } = useAccess()
  if (isEnabled && data === undefined)
    return error === null ? <Spinner /> : <FailedPage error={error} onRetry={() => void refetch()} />
  return data?.isOperator ? <LoadedPage page={page} params={params} /> : <NotFound />
}

function LoadedPage({ page, params }: PageProps & { page: Page }) {
  const [View, setView] = useState<ComponentType<PageProps> | null>(null)
  const show = (view: ComponentType<PageProps>) => setView(() => view)
  useEffect(() => {
    page.ask?.(params)
    page.load().then(
      (module) => show(module.default),
      () => show(NotLoaded),
    )
  }, [page])
  return View === null ? <Spinner /> : <View params={params} />
}

/**
 * Browsers never request a failed script again, so only a reload helps. The reload waits for the service, because it
 * discards the page.
 */
function NotLoaded() {
  const t = text.value.app
  const state = useSignal<'failed' | 'asking' | 'away'>('failed')
  const retry = async () => {
    state.value = 'asking'
    if ((await readPage()) === null) state.value = 'away'
    else location.reload()
  }
  return (
    <div role="status">
      <PageHead title={t.notLoadedTitle} lead={state.value === 'away' ? t.noAnswer : t.notLoadedText}>
        <Button busy={state.value === 'asking'} onClick={() => void retry()} text={t.retry} />
      </PageHead>
    </div>
  )
}
