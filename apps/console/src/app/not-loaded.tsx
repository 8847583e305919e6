import { useSignal } from '@preact/signals'
import { readPage } from '../api/newer-build.ts'
import { text } from '../text/text.ts'
import { Button } from '../ui/button.tsx'
import { PageHead } from '../ui/page-head.tsx'

/**
 * In place of a page whose program did not come: there is no network, the service is away, or it is a newer one with other
 * files. Browsers never ask again for a program that failed, so that only a reload gets it, and that only where there is
 * somebody to answer: all that is shown would be gone otherwise.
 */
export function NotLoaded() {
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
        <Button busy={state.value === 'asking'} onClick={() => void retry()}>
          {t.retry}
        </Button>
      </PageHead>
    </div>
  )
}
