import { text } from '../text/text.ts'
import { toast, toastFailure } from './toasts.ts'

const patienceMs = 10_000
let isTold = false

/** The page that the service serves now; null without a response. */
export async function readPage(): Promise<string | null> {
  try {
    const answer = await fetch(document.baseURI, { cache: 'no-store', signal: AbortSignal.timeout(patienceMs) })
    return answer.ok ? await answer.text() : null
  } catch {
    return null
  }
}

/** Call this when a part of the console failed to load. The service has no files of older builds. */
export async function tellPartMissing(): Promise<void> {
  const t = text.value.app
  const page = await readPage()
  if (page === null) return toastFailure(t.noAnswer)
  if (page.includes(entryName()) || isTold) return
  isTold = true
  toast(t.newer, { label: t.reload, run: () => location.reload() })
}

const entryName = (): string => document.querySelector<HTMLScriptElement>('script[src]')?.src.split('/').at(-1) ?? ''
