import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { text } from '../text/text.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Spinner } from '../ui/spinner.tsx'
import type { PageProps } from './page-props.ts'
import type { Page } from './pages.ts'

/** A page, once its program is here. */
export function PageView({ page, params }: PageProps & { page: Page }) {
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

/** A newer version has other files: only a reload gets them. */
function NotLoaded() {
  const t = text.value.app
  return (
    <Empty title={t.failedTitle} text={t.notLoadedText}>
      <Button onClick={() => location.reload()}>{t.reload}</Button>
    </Empty>
  )
}
