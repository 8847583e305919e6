import { useEffect, useRef } from 'preact/hooks'
import { describeError } from '../api/describe-error.ts'
import type { Pages } from '../api/use-pages.ts'
import { text } from '../text/text.ts'
import { Button } from './button.tsx'

interface MoreProps {
  list: Pages<{ id: string }>['list']
  /** How many items there are so far. */
  shown: number
}

/** Gets the next page of a list, and tells how many items there are then. At its end whoever pressed it goes on from there. */
export function More({ list, shown }: MoreProps) {
  const { data, hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage } = list
  const t = text.value.lists
  const end = useRef<HTMLParagraphElement>(null)
  const pageCount = data?.pages.length ?? 0
  useEffect(() => {
    if (!hasNextPage && pageCount > 1 && document.activeElement === document.body) end.current?.focus()
  }, [hasNextPage, pageCount])
  if (!hasNextPage && pageCount < 2) return null
  return (
    <div class="more">
      {hasNextPage && (
        <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {text.value.app.more}
        </Button>
      )}
      <p class="hint" role="status" tabIndex={-1} ref={end}>
        {hasNextPage ? t.shown(shown) : t.all(shown)}
      </p>
      <p class="form-error" role="alert">
        {isFetchNextPageError ? describeError(error) : ''}
      </p>
    </div>
  )
}
