import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { Spinner } from '../ui/spinner.tsx'
import { NotLoaded } from './not-loaded.tsx'
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
